/** The formats Sluice reads. Decided by content (src/formats/detect.ts), never by name alone. */
export const FILE_KINDS = [
  'pdf',
  'docx',
  'doc',
  'pptx',
  'ppt',
  'xlsx',
  'xls',
  'csv',
  'tsv',
  'html',
  'md',
  'txt',
  'json',
  'xml',
  'eml',
  'msg',
  'zip',
  'epub',
  'rtf',
  'odt',
  'ods',
  'odp',
  'png',
  'jpeg',
  'webp',
  'tiff',
  'gif',
] as const;
export type FileKind = (typeof FILE_KINDS)[number];

export interface FileFormat {
  kind: FileKind;
  title: string;
  /** Usual ends of names, without the dot. What a file is, its content decides. */
  extensions: readonly string[];
  /** The first is the registered one. */
  mediaTypes: readonly string[];
}

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const OPEN = 'application/vnd.oasis.opendocument';

const FORMATS: { readonly [Kind in FileKind]: Omit<FileFormat, 'kind'> } = {
  pdf: { title: 'PDF', extensions: ['pdf'], mediaTypes: ['application/pdf'] },
  docx: {
    title: 'Text document (OOXML)',
    extensions: ['docx', 'docm', 'dotx', 'dotm'],
    mediaTypes: [`${OFFICE}.wordprocessingml.document`],
  },
  doc: { title: 'Text document (97-2003)', extensions: ['doc', 'dot'], mediaTypes: ['application/msword'] },
  pptx: {
    title: 'Presentation (OOXML)',
    extensions: ['pptx', 'pptm', 'ppsx', 'ppsm', 'potx', 'potm'],
    mediaTypes: [`${OFFICE}.presentationml.presentation`],
  },
  ppt: {
    title: 'Presentation (97-2003)',
    extensions: ['ppt', 'pps', 'pot'],
    mediaTypes: ['application/vnd.ms-powerpoint'],
  },
  xlsx: {
    title: 'Spreadsheet (OOXML)',
    extensions: ['xlsx', 'xlsm', 'xltx', 'xltm'],
    mediaTypes: [`${OFFICE}.spreadsheetml.sheet`],
  },
  xls: {
    title: 'Spreadsheet (97-2003, binary)',
    extensions: ['xls', 'xlt', 'xlsb'],
    mediaTypes: ['application/vnd.ms-excel'],
  },
  csv: { title: 'Comma-separated values', extensions: ['csv'], mediaTypes: ['text/csv'] },
  tsv: {
    title: 'Tab-separated values',
    extensions: ['tsv', 'tab'],
    mediaTypes: ['text/tab-separated-values'],
  },
  html: {
    title: 'Web page',
    extensions: ['html', 'htm', 'xhtml'],
    mediaTypes: ['text/html', 'application/xhtml+xml'],
  },
  md: { title: 'Markdown', extensions: ['md', 'markdown', 'mdown', 'mkd'], mediaTypes: ['text/markdown'] },
  txt: { title: 'Plain text', extensions: ['txt', 'text', 'log'], mediaTypes: ['text/plain'] },
  json: {
    title: 'JSON',
    extensions: ['json', 'jsonl', 'ndjson', 'geojson'],
    mediaTypes: ['application/json', 'application/x-ndjson', 'application/geo+json'],
  },
  xml: { title: 'XML', extensions: ['xml'], mediaTypes: ['application/xml', 'text/xml'] },
  eml: { title: 'E-mail', extensions: ['eml'], mediaTypes: ['message/rfc822'] },
  msg: { title: 'Outlook message', extensions: ['msg'], mediaTypes: ['application/vnd.ms-outlook'] },
  zip: {
    title: 'Archive of files (zip)',
    extensions: ['zip'],
    mediaTypes: ['application/zip', 'application/x-zip-compressed'],
  },
  epub: { title: 'E-book', extensions: ['epub'], mediaTypes: ['application/epub+zip'] },
  rtf: { title: 'Rich text', extensions: ['rtf'], mediaTypes: ['application/rtf', 'text/rtf'] },
  odt: { title: 'Text document (ODF)', extensions: ['odt', 'ott'], mediaTypes: [`${OPEN}.text`] },
  ods: { title: 'Spreadsheet (ODF)', extensions: ['ods', 'ots'], mediaTypes: [`${OPEN}.spreadsheet`] },
  odp: { title: 'Presentation (ODF)', extensions: ['odp', 'otp'], mediaTypes: [`${OPEN}.presentation`] },
  png: { title: 'PNG picture', extensions: ['png'], mediaTypes: ['image/png'] },
  jpeg: { title: 'JPEG picture', extensions: ['jpg', 'jpeg'], mediaTypes: ['image/jpeg'] },
  webp: { title: 'WebP picture', extensions: ['webp'], mediaTypes: ['image/webp'] },
  tiff: { title: 'TIFF picture', extensions: ['tif', 'tiff'], mediaTypes: ['image/tiff'] },
  gif: { title: 'GIF picture', extensions: ['gif'], mediaTypes: ['image/gif'] },
};

/** Every format that is read, in the order of `FILE_KINDS`. */
export const fileFormats: readonly FileFormat[] = FILE_KINDS.map((kind) => ({ kind, ...FORMATS[kind] }));
