import { defineFormat } from './define.ts';

const OPENDOCUMENT = 'application/vnd.oasis.opendocument';

export const odt = defineFormat({
  kind: 'odt',
  title: 'Text document (ODF)',
  extensions: ['odt', 'ott'],
  mediaTypes: [`${OPENDOCUMENT}.text`],
  content: {
    zip: {
      mediaTypes: [`${OPENDOCUMENT}.text`, `${OPENDOCUMENT}.text-template`, `${OPENDOCUMENT}.text-master`],
    },
  },
});

export const ods = defineFormat({
  kind: 'ods',
  title: 'Spreadsheet (ODF)',
  extensions: ['ods', 'ots'],
  mediaTypes: [`${OPENDOCUMENT}.spreadsheet`],
  content: { zip: { mediaTypes: [`${OPENDOCUMENT}.spreadsheet`, `${OPENDOCUMENT}.spreadsheet-template`] } },
});

export const odp = defineFormat({
  kind: 'odp',
  title: 'Presentation (ODF)',
  extensions: ['odp', 'otp'],
  mediaTypes: [`${OPENDOCUMENT}.presentation`],
  content: { zip: { mediaTypes: [`${OPENDOCUMENT}.presentation`, `${OPENDOCUMENT}.presentation-template`] } },
});
