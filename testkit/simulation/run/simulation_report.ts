/** The result of a simulation. */

/** The result of a run. */
export interface SimulationReport {
  readonly seed: number;
  readonly events: number;
  readonly virtualSeconds: number;
  readonly replicas: number;
  readonly kills: number;
  readonly pauses: number;
  readonly faults: number;
  readonly withdrawals: number;
  /** The notes that a message of another sender than the relayer paid. */
  readonly frontRun: number;
  /** How often the endpoint started to return false data. */
  readonly lies: number;
  /** How often the endpoint forged a transaction. */
  readonly forgeries: number;
  /** SHA-256 over all events, in order. */
  readonly trace: string;
}
