/** The words of the language that the app shows. English is the type, and shown until another language is loaded. */
import { signal } from "@preact/signals";
import { en, type Texts } from "./en.ts";
import type { Language } from "./languages.ts";

export type { Texts };

/** Each language but English is a chunk of its own, which the page loads when it shows the language. */
const loaders: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: () => Promise.resolve(en),
  ru: () => import("./ru.ts").then(({ ru }) => ru),
};

const shown = signal<Texts>(en);
let latest: Language = "en";

/** A component that reads its words here, while it is rendered, follows each change of the language. */
export const texts: Texts = Object.create(
  null,
  Object.fromEntries(
    Object.keys(en).map((name) => [name, { get: () => shown.value[name as keyof Texts] }]),
  ),
);

/** Loads a language. @throws if its file cannot be loaded */
export async function loadLanguage(language: Language): Promise<void> {
  await loaders[language]();
}

/** Shows a language, unless another one was requested meanwhile. @throws if its file cannot be loaded */
export async function showLanguage(language: Language): Promise<void> {
  latest = language;
  const loaded = await loaders[language]();
  if (latest === language) shown.value = loaded;
}
