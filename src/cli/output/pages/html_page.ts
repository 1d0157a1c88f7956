/** HTML for printed pages: one file without scripts or external resources. */

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function unescapeHtml(html: string): string {
  return html.replace(/&#([0-9]{2});/g, (_, code: string) => String.fromCharCode(Number(code)));
}

export function renderFactTable(rows: readonly (readonly [what: string, value: string])[]): string {
  const lines = rows.map(([what, value]) =>
    `<tr><th scope="row">${escapeHtml(what)}</th><td>${escapeHtml(value)}</td></tr>`
  );
  return `<table>\n${lines.join("\n")}\n</table>`;
}

/** The page's policy forbids browsers to load or run anything. */
export function renderHtmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>
@page { margin: 1.5cm; }
body { font: 11pt/1.45 sans-serif; max-width: 18cm; margin: 1.5cm auto; color: #000; background: #fff; }
h1 { font-size: 17pt; } h2 { font-size: 12pt; margin: 0 0 .2cm; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .1cm .3cm .1cm 0; border-bottom: 1px solid #ccc; }
th { white-space: nowrap; font-weight: normal; color: #444; }
td, code, pre { font-family: monospace; font-size: 9pt; overflow-wrap: anywhere; white-space: pre-wrap; }
section { break-inside: avoid; margin: .8cm 0; }
svg { width: 8cm; height: 8cm; display: block; }
.warning { border: 3px solid #b00; padding: .3cm; font-weight: bold; color: #b00; }
@media print { body { margin: 0; max-width: none; } }
</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
${body}
</body>
</html>
`;
}
