const LONGEST = 255;

/**
 * Media type according to RFC 9110, section 8.3.1: type, subtype and parameters. Quoted values may not
 * contain escapes or control characters.
 */
const MEDIA_TYPE =
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:[ \t]*;[ \t]*[!#$%&'*+.^_`|~0-9A-Za-z-]+=(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+|"[ !#-[\]-~]*"))*[ \t]*;?$/;

/** Returns a media type that a client sent, or `undefined` if it is invalid or too long. */
export function parseMediaType(given: string | null | undefined): string | undefined {
  const text = given?.trim();
  return text && text.length <= LONGEST && MEDIA_TYPE.test(text) ? text : undefined;
}
