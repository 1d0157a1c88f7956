/// <reference lib="dom" />
/** Saves, opens and prints files for the user. */
import { Problem } from "../../core/errors/problem.ts";
import { systemClock } from "../../core/time/clock.ts";
import type { Downloads } from "../ports.ts";

/** By then the browser has read the object that the link refers to. */
const REVOKE_AFTER_MS = 60_000;
const INPUTS = ["pointerdown", "keydown"] as const;

export const browserDownloads: Downloads = {
  save(name, bytes, type) {
    const url = URL.createObjectURL(new Blob([bytes], { type }));
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    void systemClock.sleep(REVOKE_AFTER_MS).then(() => URL.revokeObjectURL(url));
  },
  open({ accept, maxBytes }) {
    const input = document.createElement("input");
    input.type = "file";
    input.accept = accept;
    input.hidden = true;
    document.body.append(input);
    return new Promise((resolve, reject) => {
      input.addEventListener("cancel", () => resolve(undefined), { once: true });
      input.addEventListener("change", () => readChosen(input, maxBytes).then(resolve, reject), {
        once: true,
      });
      input.click();
    }).finally(() => input.remove()) as ReturnType<Downloads["open"]>;
  },
  print: printPage,
  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch { // access denied, or the page has no focus
      return false;
    }
  },
};

async function readChosen(
  input: HTMLInputElement,
  maxBytes: number,
): Promise<Awaited<ReturnType<Downloads["open"]>>> {
  const file = input.files?.[0];
  if (!file) return undefined;
  if (file.size > maxBytes) {
    throw new Problem("invalid_request", `${file.name} has ${file.size} bytes; at most ${maxBytes} are read`);
  }
  const bytes = await file.arrayBuffer().catch(() => {
    throw new Problem("invalid_request", `${file.name} cannot be read`);
  });
  return { name: file.name, bytes: new Uint8Array(bytes) };
}

/**
 * The stylesheet shows only this element on paper. It stays until the next input: on phones, `print` returns before the
 * page is printed, and not every browser sends `afterprint`.
 */
async function printPage({ title, lines, code }: Parameters<Downloads["print"]>[0]): Promise<void> {
  const page = document.createElement("section");
  page.className = "print-page";
  const heading = document.createElement("h1");
  heading.textContent = title;
  const { renderSVG } = await import("uqr"); // loaded on demand
  const image = document.createElement("img");
  image.alt = title;
  image.src = `data:image/svg+xml;utf8,${encodeURIComponent(renderSVG(code, { border: 2 }))}`;
  page.append(heading, image, ...lines.map(paragraphOf), paragraphOf(code));
  document.body.append(page);
  document.documentElement.classList.add("printing");
  const remove = () => {
    for (const name of INPUTS) removeEventListener(name, remove);
    document.documentElement.classList.remove("printing");
    page.remove();
  };
  try {
    await image.decode().catch(() => {}); // print the text even if the picture fails
    globalThis.print();
    for (const name of INPUTS) addEventListener(name, remove);
  } catch (error) {
    remove();
    throw error;
  }
}

function paragraphOf(text: string): HTMLElement {
  const paragraph = document.createElement("p");
  paragraph.textContent = text;
  return paragraph;
}
