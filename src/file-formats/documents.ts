import { defineFormat } from './define.ts';

export const pdf = defineFormat({
  kind: 'pdf',
  title: 'PDF',
  extensions: ['pdf'],
  mediaTypes: ['application/pdf'],
  content: {
    // Some PDF files have other bytes before the header `%PDF-`. Common PDF readers accept such files too.
    matches: ({ characters, isText }) =>
      characters.includes('%PDF-') &&
      (characters.startsWith('%PDF-') || !isText || /^[^\S\r\n\u2028\u2029]*%PDF-/m.test(characters)),
  },
});

export const epub = defineFormat({
  kind: 'epub',
  title: 'E-book',
  extensions: ['epub'],
  mediaTypes: ['application/epub+zip'],
  content: { zip: { member: 'META-INF/container.xml', mediaTypes: ['application/epub+zip'] } },
});

export const rtf = defineFormat({
  kind: 'rtf',
  title: 'Rich text',
  extensions: ['rtf'],
  mediaTypes: ['application/rtf', 'text/rtf'],
  content: { signatures: [['{\\rtf']] },
  isParsedAsText: true,
});

/**
 * Zip archive of files. It has no content test, because detection uses it for every zip container that
 * matches no document format.
 */
export const zip = defineFormat({
  kind: 'zip',
  title: 'Archive of files (zip)',
  extensions: ['zip'],
  mediaTypes: ['application/zip', 'application/x-zip-compressed'],
  content: {},
});
