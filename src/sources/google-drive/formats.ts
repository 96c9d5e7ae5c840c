/** What begins the types of what has no bytes of its own: folders, shortcuts, documents of the vendor's editors. */
const OWN_TYPES = 'application/vnd.google-apps.';
export const FOLDER = `${OWN_TYPES}folder`;
export const SHORTCUT = `${OWN_TYPES}shortcut`;

export interface ExportFormat {
  extension: string;
  type: string;
}

const OFFICE = 'application/vnd.openxmlformats-officedocument';

/**
 * What documents of the vendor's editors are read as. The office formats keep what its Markdown loses or inflates:
 * merged cells, footnotes, sheets, notes of slides, and pictures that are no text of a chunk. A drawing as PDF keeps its
 * words as words.
 */
const EXPORTS = new Map<string, ExportFormat>([
  [`${OWN_TYPES}document`, { extension: '.docx', type: `${OFFICE}.wordprocessingml.document` }],
  [`${OWN_TYPES}spreadsheet`, { extension: '.xlsx', type: `${OFFICE}.spreadsheetml.sheet` }],
  [`${OWN_TYPES}presentation`, { extension: '.pptx', type: `${OFFICE}.presentationml.presentation` }],
  [`${OWN_TYPES}drawing`, { extension: '.pdf', type: 'application/pdf' }],
]);

/** Undefined: it has bytes of its own, or none at all. */
export const exportOf = (mimeType: string): ExportFormat | undefined => EXPORTS.get(mimeType);

/** Whether there is something to read: forms, maps, sites and what other applications keep there have no bytes. */
export const isReadable = (mimeType: string): boolean =>
  !mimeType.startsWith(OWN_TYPES) || EXPORTS.has(mimeType);
