/**
 * Forms of documents, which their shape shows in any language, with the English words by which rules call them.
 * `names` mean the form itself, and `hints` are other words of its usual description.
 */
export const FORMS = {
  code: { names: 'code source script', hints: 'program programming software' },
  subtitles: { names: 'subtitle caption transcript', hints: 'dialogue spoken film video' },
  email: { names: 'email mail', hints: 'message sender recipient' },
  letter: { names: 'letter', hints: 'correspondence message' },
  slides: { names: 'slide presentation deck powerpoint', hints: 'talk' },
  table: { names: 'spreadsheet table workbook csv', hints: 'rows columns data excel' },
  invoice: { names: 'invoice bill', hints: 'buyer seller customer payment' },
  receipt: { names: 'receipt till', hints: 'bill shop store purchase paid' },
  resume: { names: 'resume cv vitae', hints: 'education employment skills experience' },
  paper: { names: 'paper scholarly scientific', hints: 'research article journal publication' },
  contract: { names: 'contract agreement', hints: 'parties clauses obligations' },
  form: { names: 'form questionnaire', hints: 'fields blank' },
  web: { names: 'web website webpage', hints: 'site menu links' },
  manual: { names: 'manual guide handbook', hints: 'instructions documentation' },
  news: { names: 'news newspaper', hints: 'journalist article press' },
} as const satisfies Record<string, { names: string; hints: string }>;

export type Form = keyof typeof FORMS;
/** Strength from 0 to 1 of each form that a document shows. Forms that it does not show are absent. */
export type FormStrengths = ReadonlyMap<Form, number>;
