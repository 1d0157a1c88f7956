/** The languages of the app. Each has the file `<code>.ts`, and files for some of its parts, such as `money_<code>.ts`. */
export const languages = ["en", "ru"] as const;

export type Language = (typeof languages)[number];

/** Each language's name in itself, so that its speakers find it in any language. */
export const languageNames: Readonly<Record<Language, string>> = { en: "English", ru: "Русский" };

/**
 * Returns the language to show.
 *
 * @param chosen in Settings; undefined: as in the browser
 * @param browser the browser's languages, the preferred one first, such as `ru-RU`
 */
export function languageFor(chosen: Language | undefined, browser: readonly string[]): Language {
  if (chosen !== undefined) return chosen;
  const known = browser.map((tag) => tag.toLowerCase().split("-")[0]);
  return known.find((code): code is Language => (languages as readonly string[]).includes(code)) ?? "en";
}
