/** Splits text into lines. */
export class LineStream extends TransformStream<string, string> {
  constructor() {
    let rest = "";
    super({
      transform(text, controller) {
        const parts = (rest + text).split("\n");
        rest = parts.pop() ?? "";
        for (const part of parts) controller.enqueue(part);
      },
    });
  }
}
