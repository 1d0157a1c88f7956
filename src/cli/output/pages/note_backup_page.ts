/** A page of notes to print. It omits the note's id, which would identify the deposit on chain. */
import { renderSVG } from "uqr";
import { poolKey } from "../../../core/protocol/deployments.ts";
import type { NotePool } from "../../../core/protocol/note.ts";
import { NATIVE_SYMBOL } from "../../../core/protocol/units.ts";
import { escapeHtml, renderFactTable, renderHtmlPage } from "./html_page.ts";

export interface PaperNote {
  readonly pool: NotePool;
  readonly code: string;
}

const QR_BORDER_MODULES = 4; // QR readers need it

const ENCRYPTED_NOTICE =
  `<p>Each code is one note, encrypted with the passphrase of the note store that it comes from. Without
that passphrase no one can open it, not even you. Anyone who has this page and the passphrase can take the money.</p>`;
const UNENCRYPTED_WARNING =
  `<p class="warning">These notes are not encrypted. Anyone who sees this page, a photo of it or the printer's memory
can take the money.</p>`;
/** Someone who relies on this page must know what it lacks. */
const CONTENT_NOTICE =
  `<p>This page contains only the notes below. It does not contain the seed, so it does not cover notes that
you create later: print a new page for those, or keep the seed, which <code>tonado note seed show</code> prints.</p>`;
const RESTORE_INSTRUCTIONS = `<p>To restore them:</p>
<pre>tonado note restore &lt;this file&gt;</pre>
<p>or run <code>tonado note restore</code> and paste the text of a QR code, as scanned or as printed beside it.`;
const AGE_INSTRUCTIONS =
  ` Without tonado, pipe the text after the colon through <code>base64 -d | age -d</code>.`;

/** `madeAt` in Unix milliseconds. */
export function renderBackupPage(
  notes: readonly PaperNote[],
  { sealed, madeAt, store }: { readonly sealed: boolean; readonly madeAt: number; readonly store: string },
): string {
  const sections = notes.map(({ pool, code }, i) =>
    `<section>
<h2>${i + 1} of ${notes.length}: ${escapeHtml(poolKey(pool))} on ${escapeHtml(pool.network)}</h2>
${
      renderFactTable([
        ["pool", poolKey(pool)],
        ["amount", `${pool.amount} ${pool.asset === "native" ? NATIVE_SYMBOL : pool.asset}`],
        ["network", pool.network],
        ["note store", store],
      ])
    }
${renderSVG(code, { ecc: "M", border: QR_BORDER_MODULES })}
<pre>${escapeHtml(code)}</pre>
</section>`
  );
  const day = new Date(madeAt).toISOString().slice(0, 10);
  return renderHtmlPage(
    `${notes.length} tonado ${notes.length === 1 ? "note" : "notes"}, ${day}`,
    `${CONTENT_NOTICE}\n${sealed ? ENCRYPTED_NOTICE : UNENCRYPTED_WARNING}\n${RESTORE_INSTRUCTIONS}${
      sealed ? AGE_INSTRUCTIONS : ""
    }</p>\n${sections.join("\n")}`,
  );
}
