import { InvalidArgumentError } from "commander";
import { integer, MalformedSettingError } from "../../config/settings/setting.ts";

export function integerArgument(min: number, max: number): (text: string) => number {
  const parse = integer(min, max);
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof MalformedSettingError)) throw error;
      throw new InvalidArgumentError(`It must be ${error.message}.`);
    }
  };
}
