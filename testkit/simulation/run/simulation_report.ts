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
  /** Paid by a message that was not the relayer's. */
  readonly frontRun: number;
  /** How often the endpoint began to return false data. */
  readonly lies: number;
  /** How often the endpoint forged a transaction. */
  readonly forgeries: number;
  /** SHA-256 over all events, in order. */
  readonly trace: string;
}
