/** Russian plural forms and numbers. */
const rules = new Intl.PluralRules("ru");
const numbers = new Intl.NumberFormat("ru");

/** Returns the form for a count. @param forms for 1, 2 and 5 */
export function formRu(count: number, [one, few, many]: readonly [string, string, string]): string {
  const category = rules.select(count);
  return category === "one" ? one : category === "few" ? few : many;
}

/** Returns the count with its form. @param forms for 1, 2 and 5 */
export function pluralRu(count: number, ...forms: readonly [string, string, string]): string {
  return `${numbers.format(count)} ${formRu(count, forms)}`;
}

const separator = numbers.formatToParts(0.5).find(({ type }) => type === "decimal")!.value;

/** Returns an amount with the Russian decimal separator and all of its digits, and its unit, if any, in capitals. */
export function decimalRu(amount: string): string {
  return amount.replace(".", separator).replace(/ \S+$/, (unit) => unit.toUpperCase());
}
