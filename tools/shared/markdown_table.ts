/** Returns the lines of a Markdown table. Cells that contain `|` must be escaped. */
export function markdownTable(
  head: readonly (string | number)[],
  rows: readonly (readonly (string | number)[])[],
  rule: readonly string[] = head.map(() => "---"),
): string[] {
  return [head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}
