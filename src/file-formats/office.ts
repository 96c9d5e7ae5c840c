import { defineFormat } from './define.ts';

const OOXML = 'application/vnd.openxmlformats-officedocument';

export const docx = defineFormat({
  kind: 'docx',
  title: 'Text document (OOXML)',
  extensions: ['docx', 'docm', 'dotx', 'dotm'],
  mediaTypes: [`${OOXML}.wordprocessingml.document`],
  content: {
    zip: {
      contentTypes:
        /wordprocessingml\.(?:document|template)\.main|ms-word\.(?:document|template)\.macroEnabled/,
      member: 'word/document.xml',
    },
  },
});

export const doc = defineFormat({
  kind: 'doc',
  title: 'Text document (97-2003)',
  extensions: ['doc', 'dot'],
  mediaTypes: ['application/msword'],
  content: { oleStreams: ['WordDocument'] },
});

export const pptx = defineFormat({
  kind: 'pptx',
  title: 'Presentation (OOXML)',
  extensions: ['pptx', 'pptm', 'ppsx', 'ppsm', 'potx', 'potm'],
  mediaTypes: [`${OOXML}.presentationml.presentation`],
  content: {
    zip: {
      contentTypes:
        /presentationml\.(?:presentation|slideshow|template)\.main|ms-powerpoint\.(?:presentation|slideshow|template)\.macroEnabled/,
      member: 'ppt/presentation.xml',
    },
  },
});

export const ppt = defineFormat({
  kind: 'ppt',
  title: 'Presentation (97-2003)',
  extensions: ['ppt', 'pps', 'pot'],
  mediaTypes: ['application/vnd.ms-powerpoint'],
  content: { oleStreams: ['PowerPoint Document'] },
});

export const xlsx = defineFormat({
  kind: 'xlsx',
  title: 'Spreadsheet (OOXML)',
  extensions: ['xlsx', 'xlsm', 'xltx', 'xltm'],
  mediaTypes: [`${OOXML}.spreadsheetml.sheet`],
  content: {
    zip: {
      contentTypes: /spreadsheetml\.(?:sheet|template)\.main|ms-excel\.(?:sheet|template)\.macroEnabled/,
      member: 'xl/workbook.xml',
    },
  },
});

export const xls = defineFormat({
  kind: 'xls',
  title: 'Spreadsheet (97-2003, binary)',
  extensions: ['xls', 'xlt', 'xlsb'],
  mediaTypes: ['application/vnd.ms-excel'],
  content: {
    // The parser for `.xls` files also reads binary workbooks in zip containers (`.xlsb`).
    zip: { contentTypes: /ms-excel\.sheet\.binary\.macroEnabled/ },
    oleStreams: ['Workbook', 'Book', 'WORKBOOK'],
    // Workbooks of Excel 2 to 4 have no OLE2 container, so they are recognized by their first bytes.
    signatures: [[0x09, [0, 2, 4], [4, 6], 0]],
  },
});
