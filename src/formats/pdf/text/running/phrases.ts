/** Maximum length of a line that is compared with the phrases. */
const MAX_STAMP_LENGTH = 160;
const MAX_SHORT_STAMP_LENGTH = 60;

const PAGE_NUMBER_PHRASE =
  /^(?:page|seite|página|pagina|страница|стр\.)\s*\d{1,4}(?:\s*(?:of|\/|von|de|di|sur|из)\s*\d{1,4})?\.?$|^\d{1,4}\s*(?:\/|of)\s*\d{1,4}$|^-\s?\d{1,4}\s?-$/iu;

/** Phrases that archives, publishers and libraries print on pages that they deliver. */
const DELIVERY =
  /\bdownload(?:ed)? (?:date|from|by|on|at|via)\b|\bthis content downloaded\b|\bauthorized licensed use\b|\bdigiti[sz]ed by\b|\bfor personal use only\b|\ball use subject to\b|\bterms and conditions of use\b|^heruntergeladen\b|^téléchargé\b/iu;
const OPEN_ACCESS = /\bopen access\b|\bfreely available online\b/i;
const MANUSCRIPT =
  /^(?:\p{L}{2,12}[ -])?(?:author|accepted|authors’) manuscript\b|^preprint\b|^draft version\b|^arxiv:\d|^published as a conference paper\b|^under review as\b|^original (?:research )?article$|^research article$/iu;

const VOLUME = /\bvol(?:ume|\.)?\s?\d{1,4}\b/i;
const ISSUE = /\bissue\b|\bnos?\.?\s?\d|\bnumber\s\d|\b(?:19|20)\d\d\b|\bpp?\.\s?\d/i;
/** Matches "12 (2010) 123–456", as journals print it. */
const VOLUME_YEAR_PAGES = /\b\d{1,4}\s?\((?:1[89]|20)\d\d\)\s?,?\s?[a-z]?\d+\s?[-–]\s?[a-z]?\d+$/i;
/** Matches "Genomics 2010, 11:123", as journals without page numbers print it. */
const YEAR_VOLUME_ARTICLE = /\b(?:19|20)\d\d,\s?\d{1,4}(?:\s?\(\d{1,3}\))?:\s?[a-z]?\d+/i;
const ISSN = /\bissn:?\s?\d{4}-?\d{3}[\dx]\b/i;
const ADDRESS = /^(?:https?:\/\/|www\.|doi:?\s?10\.)\S+$/i;
const NAME_AND_ADDRESS = /^[^.:;|]{3,60}\s\|\s(?:https?:\/\/|www\.)\S+$/i;
const COPYRIGHT = /^(?:©|\(c\)\s|copyright\s(?:©|\(c\)|(?:1[89]|20)\d\d))/i;
const ALL_RIGHTS = /\ball rights reserved\b/i;
const REVISION =
  /^(?:rev(?:ision|\.)?|p\/n|part (?:no\.?|number)|doc(?:ument)?\.? (?:no\.?|number|id)|form no\.?):?\s?[\p{L}\d][\p{L}\d./-]{0,20}$/iu;

const CAPTION =
  /^(?:fig(?:ure|\.)?|table|abb(?:ildung|\.)|tab(?:elle|\.)|source|note|notes|quelle)(?!\p{L})/iu;
const LABEL =
  /:\s*\S|:$|^(?:date|to|from|subject|re|invoice|order|account|customer|reference|ref|no)\b|\binvoice\b|[$€£]\s?\d/i;

/** Returns whether a line consists of a page number that is named as such, for example "Page 3 of 9". */
export const isPageNumberPhrase = (text: string): boolean =>
  text.length <= MAX_SHORT_STAMP_LENGTH && PAGE_NUMBER_PHRASE.test(text);

/** Returns whether a line is the caption of a figure or table, or a note to it. */
export const isCaption = (text: string): boolean => CAPTION.test(text);

/** Returns whether a line carries data of its document, such as "Invoice No: 17" or an amount of money. */
export const isLabelled = (text: string): boolean => LABEL.test(text);

/**
 * Judges a line at the edge of a page by its words. Returns `always` for phrases that only running lines
 * contain, `apart` for phrases of running lines that also occur in texts, and `undefined` for other lines.
 */
export function classifyStamp(text: string, isTop: boolean): 'always' | 'apart' | undefined {
  if (text.length > MAX_STAMP_LENGTH) return undefined;
  if (DELIVERY.test(text)) return 'always';
  const isShort = text.length <= MAX_SHORT_STAMP_LENGTH;
  if (isShort && (OPEN_ACCESS.test(text) || MANUSCRIPT.test(text))) return 'apart';
  if (
    (VOLUME.test(text) && ISSUE.test(text)) ||
    VOLUME_YEAR_PAGES.test(text) ||
    YEAR_VOLUME_ARTICLE.test(text) ||
    ISSN.test(text)
  )
    return 'apart';
  if (ADDRESS.test(text) || NAME_AND_ADDRESS.test(text)) return 'apart';
  if (isTop) return undefined;
  if (COPYRIGHT.test(text) || (ALL_RIGHTS.test(text) && text.length < 100)) return 'apart';
  return isShort && REVISION.test(text) ? 'apart' : undefined;
}
