/** Shows progress on standard error. Without a terminal it writes a line per mutant. */
export class ProgressReporter {
  #done = 0;
  readonly #counts: Record<string, number> = {};
  readonly #start = performance.now();

  constructor(readonly total: number) {}

  add(verdict: string, where: string): void {
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
