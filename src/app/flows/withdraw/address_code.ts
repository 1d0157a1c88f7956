import { Address } from "@ton/core";

const LINK = /^[a-z][a-z0-9+.-]*:\/\/([^?#]*)(?:\?([^#]*))?/i;
const FRIENDLY_LENGTH = 48; // 36 bytes in base64
const RAW = /^-?\d:[0-9a-f]{64}/i;
/** Other parameters, such as `jetton`, name a contract that is not the recipient. */
const RECIPIENT_PARAMETERS = new Set(["to", "address", "recipient"]);

/**
 * Returns the recipient of a plain address or of a link such as `ton://transfer/<address>`, in the URL-safe alphabet.
 * Wallets must accept both alphabets of base64 (ton-blockchain/TEPs: text/0002-address.md). Undefined if there is no
 * recipient, or more than one.
 */
export function addressInCode(text: string): string | undefined {
  const code = text.trim();
  const [link, path = "", query = ""] = LINK.exec(code) ?? [];
  if (link === undefined) return parseAddress(decode(code));
  const named = query.split("&").map((pair) => pair.split("=", 2)).flatMap(([name, value = ""]) =>
    RECIPIENT_PARAMETERS.has(name.toLowerCase()) ? parseAddress(decode(value)) ?? [] : []
  );
  const found = new Set([...addressesInPath(decode(path)), ...named]);
  return found.size === 1 ? [...found][0] : undefined;
}

/** A slash separates parts of a path, and is a character of an address as well. */
function addressesInPath(path: string): string[] {
  const starts = [...path].flatMap((char, i) => char === "/" ? i + 1 : []);
  return [0, ...starts].flatMap((start) => {
    const rest = path.slice(start);
    const length = RAW.exec(rest)?.[0].length ?? FRIENDLY_LENGTH;
    const isWhole = rest.length === length || rest[length] === "/";
    return isWhole ? parseAddress(rest.slice(0, length)) ?? [] : [];
  });
}

function parseAddress(text: string): string | undefined {
  const address = text.replaceAll("+", "-").replaceAll("/", "_");
  try {
    Address.parse(address);
    return address;
  } catch { // not an address, or a wrong checksum
    return undefined;
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
