/// <reference lib="dom" />
/** Shows the language that Settings or the browser name. */
import { Problem } from "../../core/errors/problem.ts";
import { type Language, languageFor } from "../text/languages.ts";
import { loadLanguage, showLanguage, texts } from "../text/texts.ts";

/** Shows a language, or keeps the shown one if the file cannot be loaded. @param chosen undefined: as in the browser */
export async function applyLanguage(chosen: Language | undefined): Promise<void> {
  await showLanguage(languageFor(chosen, navigator.languages)).catch(() => {});
  document.documentElement.lang = texts.language;
}

/** Loads a language before it is chosen. Returns why it cannot be shown. */
export async function prepareLanguage(chosen: Language | undefined): Promise<Problem | undefined> {
  try {
    await loadLanguage(languageFor(chosen, navigator.languages));
  } catch (error) {
    return new Problem("artifact_unavailable", "the file of a language", { cause: error });
  }
}
