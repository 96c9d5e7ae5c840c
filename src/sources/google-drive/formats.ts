/** MIME type prefix of Drive items without binary content: folders, shortcuts and Google editor documents. */
const OWN_TYPES = 'application/vnd.google-apps.';
export const FOLDER = `${OWN_TYPES}folder`;
export const SHORTCUT = `${OWN_TYPES}shortcut`;

export interface ExportFormat {
  extension: string;
  type: string;
}

const OFFICE = 'application/vnd.openxmlformats-officedocument';

/**
 * Export formats of Google editor documents. Office formats keep merged cells, footnotes, sheets and speaker
 * notes, which Markdown loses. Pictures are not embedded as text. A drawing that is exported as PDF keeps its
 * text.
 */
const EXPORTS = new Map<string, ExportFormat>([
  [`${OWN_TYPES}document`, { extension: '.docx', type: `${OFFICE}.wordprocessingml.document` }],
  [`${OWN_TYPES}spreadsheet`, { extension: '.xlsx', type: `${OFFICE}.spreadsheetml.sheet` }],
  [`${OWN_TYPES}presentation`, { extension: '.pptx', type: `${OFFICE}.presentationml.presentation` }],
  [`${OWN_TYPES}drawing`, { extension: '.pdf', type: 'application/pdf' }],
]);

export const getExportFormat = (mimeType: string): ExportFormat | undefined => EXPORTS.get(mimeType);

/**
 * Returns whether a Google Drive item of this MIME type has content to read. Forms, maps, sites and items of
 * other applications have no such content.
 */
export const isReadable = (mimeType: string): boolean =>
  !mimeType.startsWith(OWN_TYPES) || EXPORTS.has(mimeType);
