const TO_THE_SIGN = 'a run that finds no end stops at the sign with which the next one would begin';
const FROM_ITS_START = 'the look-behind lets a run begin at its first character only';
const TO_THE_END = 'the last part takes all that is left, so the first place where the rest fits is a match';

/**
 * Literals that the check takes for slow and that are not, by file and beginning: why each takes linear time all the
 * same, or which bound its text has. Each was measured on what the check finds and on twice as much of it.
 */
export const ARGUED: Record<string, Record<string, string>> = {
  'src/builtin/answering/candidates.ts': {
    '\\n(?=[^\\S\\n]*(?:[-*+•|#]|\\d+[.':
      'both looks stop at the next line break, with which the next one begins',
  },
  'src/builtin/extraction/candidates.ts': {
    '(?:^|[^\\p{L}])(?:nip|regon|krs': 'reads the 60 characters before a number, which justBefore cuts',
  },
  'src/builtin/extraction/special.ts': {
    '(?<!\\s)\\s*[,;•|]\\s*|(?<!\\s)\\s+': FROM_ITS_START,
  },
  'src/builtin/extraction/tables/tables.ts': {
    '[^\\s,;|•·](?:[^,;|•·]*[^\\s,;|•':
      'a part ends at a separator, and of what it gives back, which is blank, none begins another',
  },
  'src/chat/checked-answer.ts': {
    "\\p{Nd}(?:[.,'’\\u00a0\\u202f]?\\p{N":
      'two digits with at most a sign between them are a match, so a run is read from its first digit only',
  },
  'src/classification/document.ts': {
    '\\t|\\|.*\\||^(?:[^,;]*[,;]){3,}[':
      'a second bar in a line is a match, so a line is searched from one bar at most',
  },
  'src/extraction/citations.ts': {
    '\\|?(?:\\s{0,20}:?(?<!-)-{3,}:?\\':
      'hyphens begin at the first of a run only, and 20 blanks at most stand before them',
    '(?<![\\p{L}\\d])_+|_+(?![\\p{L}\\d':
      'a run of underscores that a letter follows matches all but its last one',
  },
  'src/extraction/model/support.ts': {
    '^(?=.*[\\d@])\\S+$': 'is held to the start, and what it looks ahead for has one way to be found',
  },
  'src/extraction/prompt-fields.ts': {
    ' (?:from|in|on|of|for|out of) (': `reads text without line breaks, which singleSpaced has taken out: ${TO_THE_END}`,
    '^(.*?) with (?:the |its |their ': `reads text without line breaks, which singleSpaced has taken out: ${TO_THE_END}`,
  },
  'src/extraction/values/dates.ts': {
    '(?<![\\d/.,-])([01]\\d|2[0-3])([':
      'blanks are read after four digits, and no other four digits stand before the same blanks',
  },
  'src/extraction/values/patterns.ts': {
    '(?:https?:\\/\\/|www\\.)[^\\s<>"\'(':
      'what is given back is punctuation only, within which no other address begins',
    '(?<![@\\w.-])(?:[a-z0-9-]{2,}\\.': FROM_ITS_START,
    '(?<![\\p{L}\\p{N}])[\\p{L}\\p{N}](':
      'what is given back has neither letter nor digit, with which others begin',
  },
  'src/lib/text/pattern.ts': {
    '\\\\[^1-9k]|\\[(?:\\^?\\])?(?:\\\\.|[': 'a class that nobody closes ends with the text, and is a match',
  },
  'src/file-formats/text.ts': {
    '<!--[\\s\\S]*?-->': 'reads the first 4096 characters, to which isHtml cuts the text',
    '^\\|.*\\|\\s*\\n\\|[\\s:|-]+\\|':
      'reads at most 64 KiB, to which detectKind cuts the text, and blank lines are read from the last line before them only',
  },
  'src/formats/shared/flow/runs.ts': {
    '<(?=\\/?[a-zA-Z][\\w-]*(?:\\s[^<>': TO_THE_SIGN,
  },
  'src/formats/html/breaks.ts': {
    '\\n\\s*\\n\\s*':
      'a second line break in a blank run is a match, so a run is searched from one line break at most',
  },
  'src/formats/html/visibility.ts': {
    '\\/\\*[\\s\\S]*?(?:\\*\\/|$)': 'a comment that nobody closes ends with the text, and is a match',
  },
  'src/formats/shared/sheets/cell-format.ts': {
    '\\[(?!h+\\]|m+\\]|s+\\])[^[\\]]*\\]': TO_THE_SIGN,
  },
  'src/reading/verify/text/tokens.ts': {
    '(?:[\\p{L}\\p{N}\\p{M}\\p{Cf}]|(?<=':
      'one letter is a match, and a mark is read between digits only, so a run is read from its first letter',
  },
  'src/retrieval/modes/route.ts': {
    '\\b(?:summari[sz]e|summary|syno':
      'a run of letters ends where no letter follows, and is a match; other distances are 200 characters at most',
  },
};
