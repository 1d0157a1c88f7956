// A copy of an object without some members.

export function omit<T extends object, Name extends keyof T>(value: T, ...names: Name[]): Omit<T, Name> {
  const kept = Object.entries(value).filter(([name]) => !(names as string[]).includes(name));
  return Object.fromEntries(kept) as Omit<T, Name>;
}
