const LONGEST = 255;

/** RFC 9110, 8.3.1: type, subtype, parameters; their quoted values without escapes and controls. */
const MEDIA_TYPE =
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:[ \t]*;[ \t]*[!#$%&'*+.^_`|~0-9A-Za-z-]+=(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+|"[ !#-[\]-~]*"))*[ \t]*;?$/;

/** What a client says that is a media type of a usual length; anything else says nothing. */
export function mediaType(said: string | null | undefined): string | undefined {
  const text = said?.trim();
  return text && text.length <= LONGEST && MEDIA_TYPE.test(text) ? text : undefined;
}
