const BOUNDED =
  'is given a few hundred characters at most, or thousands where the head of a file is told: see the slice';
const QUERY = 'reads a query, whose length is bounded';
const NAME = 'reads the name of a field in a schema, a few words that a caller gives';
const PROMPT = 'reads a sentence of a prompt whose white space is single: no run of it can be divided';
const ENDS = 'on the text that would make it look long it has matched before: nothing is read twice';
const LINE = 'reads one line, which holds no line break: its end is always reached';

/**
 * Literals that the check takes for slow and that are not, by file and beginning: why each takes linear time all the
 * same, or has no long text to read.
 */
export const ARGUED: Record<string, Record<string, string>> = {
  'src/builtin/answerer.ts': {
    '\\n(?=[^\\S\\n]*(?:[-*+•|#]|\\d+[.': ENDS,
  },
  'src/builtin/extraction/candidates.ts': {
    '(?:^|[^\\p{L}])(?:nip|regon|krs': BOUNDED,
  },
  'src/builtin/extraction/parties.ts': {
    '^(?:[A-Z]{1,3}[- ])?(?<zip>\\d{': LINE,
  },
  'src/builtin/extraction/special.ts': {
    '(?<!\\s)\\s*[,;•|]\\s*|(?<!\\s)\\s+': ENDS,
  },
  'src/builtin/extraction/tables.ts': {
    '[^\\s,;|•·](?:[^,;|•·]*[^\\s,;|•': ENDS,
  },
  'src/builtin/extraction/vocabulary/concepts.ts': {
    '\\b(due|payment|pay by|must be ': NAME,
    '\\b(deliver\\w*|ship\\w*|service|': NAME,
    '\\border(ed)?\\b.*\\bdate|date of': NAME,
    '\\b(period|start|begin\\w*|from|': NAME,
    '\\b(period|end|until|expir\\w*|v': NAME,
    '\\b(event|accident|incident|occ': NAME,
    '\\b(invoice|document|issue|issu': NAME,
    '\\b(invoice|bill|credit note|re': NAME,
    '\\b(order|purchase|po|bestel\\w*': NAME,
    '\\b(customer|client|kunden?|kla': NAME,
    '\\b(contract|policy|agreement|i': NAME,
    '\\b(accident|case|claim|file|ti': NAME,
    '\\baccount\\b.*\\b(number|no|nr|i': NAME,
    '\\b(vat|ust|btw|tva|nip|tax)\\b.': NAME,
    '\\b(registration|company|regist': NAME,
    '\\bbank\\b.*\\bname\\b|^bank$': NAME,
    '\\b(payment|pay)\\b.*\\bterms?\\b|': NAME,
    '\\b(payment|pay)\\b.*\\b(method|m': NAME,
    '\\b(tax|vat|btw|tva|mwst|ust|gs': NAME,
    '\\b(city|town|ort|stadt|plaats|': NAME,
    '\\bcountry\\b(?!.*\\b(place|city)': NAME,
  },
  'src/builtin/extraction/vocabulary/line-concepts.ts': {
    '\\b(article|product|item|part|s': NAME,
    '\\b(tax|vat|gst|btw|tva|ust|mws': NAME,
    '\\b(tax|vat|gst)\\b.*\\bamount\\b|': NAME,
    '\\b(unit|price per|per unit|eac': NAME,
  },
  'src/builtin/filter-inference/values.ts': {
    '^\\s*(?:is|=|:|called|named|hee': BOUNDED,
    '^\\s*(?:is|=|:)?\\s*((?:\\p{Lu}[\\': BOUNDED,
  },
  'src/jobs/classify/document.ts': {
    '\\t|\\|.*\\||^(?:[^,;]*[,;]){3,}[': ENDS,
  },
  'src/jobs/extract/citations.ts': {
    '\\|?(?:\\s{0,20}:?(?<!-)-{3,}:?\\': ENDS,
    '(?<![\\p{L}\\d])_+|_+(?![\\p{L}\\d': ENDS,
  },
  'src/jobs/extract/model/support.ts': {
    '^(?=.*[\\d@])\\S+$': ENDS,
  },
  'src/jobs/extract/prompt-fields.ts': {
    '\\s+(?:from|in|on|of|for|out of': PROMPT,
    '^(?:remove|drop|delete|leave o': PROMPT,
    '^make\\s+(.+?)\\s+(?:required|ma': PROMPT,
    '^([^(]*?)\\s*\\(([^)]*)\\)': PROMPT,
    '^(.*?)\\s+with (?:the\\s+|its\\s+': PROMPT,
  },
  'src/jobs/extract/values/dates.ts': {
    '(?<![\\d/.,-])([01]\\d|2[0-3])([': ENDS,
  },
  'src/jobs/extract/values/patterns.ts': {
    '(?:https?:\\/\\/|www\\.)[^\\s<>"\'(': ENDS,
    '(?<![@\\w.-])(?:[a-z0-9-]{2,}\\.': ENDS,
    '(?<![\\p{L}\\p{N}])[\\p{L}\\p{N}](': ENDS,
  },
  'src/lib/pattern.ts': {
    '\\\\[^1-9k]|\\[(?:\\^?\\])?(?:\\\\.|[': ENDS,
  },
  'src/lib/sentences.ts': {
    '(^|\\n)\\s*$': BOUNDED,
  },
  'src/parsing/detect-text.ts': {
    '<!--[\\s\\S]*?-->': BOUNDED,
    '<[a-z!/][^>]*>': BOUNDED,
    '^\\|.*\\|\\s*\\n\\|[\\s:|-]+\\|': BOUNDED,
  },
  'src/parsing/detect.ts': {
    '^\\s*%PDF-': BOUNDED,
  },
  'src/parsing/flow/runs.ts': {
    '<(?=\\/?[a-zA-Z][\\w-]*(?:\\s[^<>': ENDS,
  },
  'src/parsing/html/convert.ts': {
    '\\n\\s*\\n\\s*': ENDS,
  },
  'src/parsing/html/visibility.ts': {
    '\\/\\*[\\s\\S]*?(?:\\*\\/|$)': ENDS,
  },
  'src/parsing/over-pages.ts': {
    '\\p{L}{2,}[-\\u00ad\\u2010]$': BOUNDED,
  },
  'src/parsing/pdf/blocks.ts': {
    '(\\p{L}+).$': BOUNDED,
  },
  'src/parsing/pdf/page.ts': {
    '^[^\\p{L}]+|[^\\p{L}]+$': BOUNDED,
  },
  'src/parsing/xlsx/format.ts': {
    '\\[(?!h+\\]|m+\\]|s+\\])[^[\\]]*\\]': ENDS,
  },
  'src/retrieval/modes/route.ts': {
    '\\b(?:summari[sz]e|summary|syno': QUERY,
  },
};
