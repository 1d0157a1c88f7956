import type { CliContext } from "../context.ts";
import type { OutputOptions } from "./print.ts";
import { colours, progressLine } from "./progress.ts";

/** What the views of long commands share. With `--json` they print one object per line. */
export class CommandView<Options extends OutputOptions> {
  protected readonly progress;

  constructor(readonly context: CliContext, readonly options: Options) {
    this.progress = progressLine(context.stderr);
  }

  /** Returns false without `--json`. */
  protected writeEvent(event: object): boolean {
    if (this.options.json) this.context.stdout.write(JSON.stringify(event) + "\n");
    return this.options.json === true;
  }

  protected printText(text: string): void {
    this.progress.clear();
    if (!this.options.quiet) this.context.stdout.write(`${text}\n`);
  }

  protected get colours() {
    return colours(this.context.stdout, this.context.env);
  }
}
