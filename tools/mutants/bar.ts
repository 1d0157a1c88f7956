/** Progress, on standard error so that --json stays clean; to a file or a pipe a line for each mutant. */
export class Bar {
  #done = 0;
  readonly #counts: Record<string, number> = {};
  readonly #start = performance.now();

  constructor(readonly total: number) {}

  step(verdict: string, where: string): void {
    this.#done++;
    this.#counts[verdict] = (this.#counts[verdict] ?? 0) + 1;
    const terminal = Deno.stderr.isTerminal();
    if (terminal && this.#done % 10 !== 0 && this.#done !== this.total && verdict !== "survived") return;
    const seconds = (performance.now() - this.#start) / 1000;
    const left = Math.round(seconds / this.#done * (this.total - this.#done));
    const counts = Object.entries(this.#counts).map(([name, n]) => `${n} ${name}`).join(", ");
    console.error(`${this.#done}/${this.total}: ${counts}; ${left} s left; ${where} ${verdict}`);
  }
}
