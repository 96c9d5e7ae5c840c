import type { ClassifyRule } from '#src/classification/configuration.ts';

/**
 * Rules for documents of many formats and languages. They were written for the kinds of documents as such, not for the
 * files of the corpora.
 */
export const MIXED_RULES: ClassifyRule[] = [
  { type: 'invoice', description: 'Asks a customer to pay for goods or services that were supplied.' },
  {
    type: 'till_receipt',
    description: 'Printed slip from a shop or restaurant showing what was bought and paid.',
  },
  { type: 'contract', description: 'Legally binding agreement, signed by the parties.' },
  { type: 'patent', description: 'Describes an invention and what is claimed as new.' },
  {
    type: 'scientific_article',
    description: 'Publication of research results in a journal or at a conference.',
  },
  {
    type: 'source_code',
    description: 'Program text in any programming language, including scripts and configuration.',
  },
  { type: 'subtitles', description: 'Captions of a film or video, or a transcript of what is spoken.' },
  { type: 'email', description: 'Electronic mail between people or from a service.' },
  { type: 'spreadsheet', description: 'Workbook or table of numbers.' },
  { type: 'slides', description: 'Deck shown on a screen during a talk.' },
  { type: 'news', description: 'Article of a newspaper or news agency about current affairs.' },
  { type: 'manual', description: 'Guide that explains how to use software or equipment.' },
  { type: 'accident_report', description: 'Investigation of a crash or another incident.' },
  { type: 'resume', description: 'Curriculum vitae of a person who applies for a job.' },
];

/**
 * Rules of the set "classify" for the kinds of the mixed set that both name. Documents of the other kinds are left out.
 */
export const RULES_OF_CLASSIFY: Record<string, string> = {
  invoice: 'invoice',
  till_receipt: 'receipt',
  scientific_article: 'scientific_paper',
  email: 'email',
  spreadsheet: 'data_table',
  slides: 'slides',
  news: 'news_article',
  manual: 'software_documentation',
  accident_report: 'accident_report',
};

/** Files of this project by kind. */
export const PROJECT_FILES: { type: string; file: string }[] = [
  { type: 'source_code', file: 'scripts/require-node.cjs' },
  { type: 'source_code', file: 'vitest.config.ts' },
  { type: 'source_code', file: 'console/src/ui/button.tsx' },
  { type: 'source_code', file: 'src/lib/text/words.ts' },
  { type: 'source_code', file: 'migrations/0000_first.sql' },
  { type: 'manual', file: 'docs/how-to/extract-and-classify.md' },
  { type: 'manual', file: 'docs/how-to/deploy-to-cloudflare.md' },
  { type: 'manual', file: 'docs/how-to/back-up-and-restore.md' },
];

/** Files of other corpora by kind, each as a corpus with a pattern for the file's path. */
export const MIXED_FILES: { type: string | null; set: string; file: RegExp }[] = [
  { type: 'invoice', set: 'extract', file: /invoice2data|ZUGFeRD/ },
  { type: 'accident_report', set: 'extract', file: /ntsb/ },
  { type: 'till_receipt', set: 'extract-receipts', file: /[0-3]\.txt$|[ab]\.txt$/ },
  { type: 'till_receipt', set: 'parse-scans', file: /receipt-\d*[0-4]\.jpg$/ },
  { type: 'contract', set: 'extract-contracts', file: /[0-5]\.pdf$/ },
  { type: 'contract', set: 'extract-nda', file: /[01]\.pdf$/ },
  { type: 'patent', set: 'parse-formats', file: /ip[ag]\d+\.xml$/ },
  { type: 'scientific_article', set: 'parse-formats', file: /\.nxml$|more-ss\.tex$/ },
  { type: 'scientific_article', set: 'parse-checks', file: /ff0f0b22|ff4f7dad|ffaac214/ },
  { type: 'scientific_article', set: 'parse', file: /copy-protected\.pdf$|test_with_comment\.docx$/ },
  { type: 'subtitles', set: 'parse-formats', file: /\.vtt$|word_image_anchors\.docx$/ },
  { type: 'email', set: 'parse-formats', file: /\.eml$/ },
  { type: 'email', set: 'parse', file: /fake-email-attachment\.eml$/ },
  {
    type: 'spreadsheet',
    set: 'parse',
    file: /SampleSS\.xls$|test\.xlsx$|factbook\.xml$|issue-00369-excel\.pdf$/,
  },
  { type: 'slides', set: 'parse-formats', file: /\.odp$|bad_text\.pptx$|chart\.pptx$/ },
  { type: 'slides', set: 'parse', file: /\.pptx$/ },
  { type: 'news', set: 'parse', file: /Japanese\.rtf$/ },
  { type: 'manual', set: 'parse-checks', file: /fff590be/ },
  { type: null, set: 'parse-checks', file: /small_page_size\.pdf$|calculus/ },
  { type: null, set: 'parse', file: /google-doc-document\.pdf$|issue2128r\.pdf$/ },
  { type: null, set: 'extract-prose', file: /[0-3]\.txt$/ },
];
