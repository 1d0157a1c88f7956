/**
 * A page of notes to print: for each note its pool, amount, network and store, a code to scan, and the code's text to
 * type. The note's id is left out: it is a digest of the commitment, which finds the deposit on the chain.
 */
import { renderSVG } from "uqr";
import { poolKey } from "../core/deployments.ts";
import type { NotePool } from "../core/note.ts";
import { escapeHtml, factTable, printablePage } from "./printable_page.ts";

/** One note and its code; see `client/paper_code.ts`. */
export interface PaperNote {
  readonly pool: NotePool;
  readonly code: string;
}

/** Modules of white around a code, which readers need. */
const BORDER = 4;

const SEALED =
  `<p>Each code is one note, encrypted with the passphrase of the note store that it comes from. Without
that passphrase nobody can open it, you included; with it, whoever has this page can take the money.</p>`;
const PLAIN =
  `<p class="warning">These notes are not encrypted. Whoever sees this page can take the money: a camera, a
printer's memory, or a second look is enough.</p>`;
const RESTORE = `<p>To bring them back:</p>
<pre>tonado note restore &lt;this file&gt;</pre>
<p>or <code>tonado note restore</code>, and paste what a scanner reads from a code, or what is printed beside it.`;
const OTHERWISE = ` Without tonado: the text after the colon, through <code>base64 -d | age -d</code>.`;

/** Returns the page as HTML. @param madeAt Unix milliseconds */
export function backupPage(
  notes: readonly PaperNote[],
  { sealed, madeAt, store }: {
    readonly sealed: boolean;
    readonly madeAt: number;
    /** Name of the note store's file. */
    readonly store: string;
  },
): string {
  const sections = notes.map(({ pool, code }, i) =>
    `<section>
<h2>${i + 1} of ${notes.length}: ${escapeHtml(poolKey(pool))} on ${escapeHtml(pool.network)}</h2>
${
      factTable([
        ["pool", poolKey(pool)],
        ["amount", `${pool.amount} ${pool.asset === "native" ? "TON" : pool.asset}`],
        ["network", pool.network],
        ["note store", store],
      ])
    }
${renderSVG(code, { ecc: "M", border: BORDER })}
<pre>${escapeHtml(code)}</pre>
</section>`
  );
  const day = new Date(madeAt).toISOString().slice(0, 10);
  return printablePage(
    `${notes.length} tonado ${notes.length === 1 ? "note" : "notes"}, ${day}`,
    `${sealed ? SEALED : PLAIN}\n${RESTORE}${sealed ? OTHERWISE : ""}</p>\n${sections.join("\n")}`,
  );
}
