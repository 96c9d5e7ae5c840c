const TO_THE_SIGN = 'a run without an end stops at the character that starts the next run';
const FROM_ITS_START = 'the lookbehind allows a match to start only at the first character of a run';
const TO_THE_END =
  'the last part matches the whole remaining text, so the first position where the rest matches is final';

/**
 * Expressions that the check reports as slow although they are not, by file and first characters. The value
 * explains why the expression takes linear time, or what limits its text. Each was measured on the text that
 * the check reports and on a text of twice its length.
 */
export const SLOW_PATTERN_EXCEPTIONS: Record<string, Record<string, string>> = {
  'src/builtin/answering/candidates.ts': {
    '\\n(?=[^\\S\\n]*(?:[-*+•|#]|\\d+[.':
      'both lookarounds stop at the next line break, where the next match starts',
  },
  'src/builtin/extraction/candidates.ts': {
    '(?:^|[^\\p{L}])(?:nip|regon|krs':
      'reads only the 60 characters before a number, which getTextBefore returns',
  },
  'src/builtin/extraction/special.ts': {
    '(?<!\\s)\\s*[,;•|]\\s*|(?<!\\s)\\s+': FROM_ITS_START,
  },
  'src/builtin/extraction/tables/tables.ts': {
    '[^\\s,;|•·](?:[^,;|•·]*[^\\s,;|•':
      'a part ends at a separator, and no match can start in the whitespace that backtracking gives back',
  },
  'src/chat/check-citations.ts': {
    "\\p{Nd}(?:[.,'’\\u00a0\\u202f]?\\p{N":
      'two digits with at most one separator between them match, so a run is read only from its first digit',
  },
  'src/classification/document.ts': {
    '\\t|\\|.*\\||^(?:[^,;]*[,;]){3,}[':
      'a second bar in a line completes a match, so a line is searched from at most one bar',
  },
  'src/extraction/citations.ts': {
    '\\|?(?:\\s{0,20}:?(?<!-)-{3,}:?\\':
      'hyphens match only from the first of a run, after at most 20 whitespace characters',
    '(?<![\\p{L}\\d])_+|_+(?![\\p{L}\\d':
      'in a run of underscores before a letter, all underscores except the last one match',
  },
  'src/extraction/model/support.ts': {
    '^(?=.*[\\d@])\\S+$':
      'the expression is anchored at the start, and its lookahead can match in only one way',
  },
  'src/extraction/prompt-fields.ts': {
    ' (?:from|in|on|of|for|out of) (': `the text has no line breaks, because collapseSpaces removed them, and ${TO_THE_END}`,
    '^(.*?) with (?:the |its |their ': `the text has no line breaks, because collapseSpaces removed them, and ${TO_THE_END}`,
  },
  'src/extraction/values/dates.ts': {
    '(?<![\\d/.,-])([01]\\d|2[0-3])([':
      'whitespace is read only after four digits, and no other four digits precede the same whitespace',
  },
  'src/extraction/values/patterns.ts': {
    '(?:https?:\\/\\/|www\\.)[^\\s<>"\'(':
      'backtracking gives back only punctuation, in which no other URL starts',
    '(?<![@\\w.-])(?:[a-z0-9-]{2,}\\.': FROM_ITS_START,
    '(?<![\\p{L}\\p{N}])[\\p{L}\\p{N}](':
      'backtracking gives back neither letters nor digits, and every match starts with one',
  },
  'src/lib/text/pattern.ts': {
    '\\\\[^1-9k]|\\[(?:\\^?\\])?(?:\\\\.|[': 'an unclosed class ends with the text and is a match',
  },
  'src/file-formats/text.ts': {
    '<!--[\\s\\S]*?-->': 'reads only the first 4096 characters, to which isHtml shortens the text',
    '^\\|.*\\|\\s*\\n\\|[\\s:|-]+\\|':
      'reads at most 64 KiB, to which detectKind shortens the text, and empty lines are read only from the last line before them',
  },
  'src/formats/shared/flow/runs.ts': {
    '<(?=\\/?[a-zA-Z][\\w-]*(?:\\s[^<>': TO_THE_SIGN,
  },
  'src/formats/html/breaks.ts': {
    '\\n\\s*\\n\\s*':
      'a second line break in a run of whitespace completes a match, so a run is searched from at most one line break',
  },
  'src/formats/html/visibility.ts': {
    '\\/\\*[\\s\\S]*?(?:\\*\\/|$)': 'an unclosed comment ends with the text and is a match',
  },
  'src/formats/shared/sheets/cell-format.ts': {
    '\\[(?!h+\\]|m+\\]|s+\\])[^[\\]]*\\]': TO_THE_SIGN,
  },
  'src/reading/verify/text/tokens.ts': {
    '(?:[\\p{L}\\p{N}\\p{M}\\p{Cf}]|(?<=':
      'a single letter matches, and a mark is read only between digits, so a run is read only from its first letter',
  },
  'src/retrieval/modes/route.ts': {
    '\\b(?:summari[sz]e|summary|syno':
      'a run of letters ends where no letter follows and is then a match, and other distances are at most 200 characters',
  },
};
