import { defineFormat } from './define.ts';

export const png = defineFormat({
  kind: 'png',
  title: 'PNG picture',
  extensions: ['png'],
  mediaTypes: ['image/png'],
  content: { signatures: [[0x89, 'PNG\r\n', 0x1a, '\n']] },
});

export const jpeg = defineFormat({
  kind: 'jpeg',
  title: 'JPEG picture',
  extensions: ['jpg', 'jpeg'],
  mediaTypes: ['image/jpeg'],
  content: { signatures: [[0xff, 0xd8, 0xff]] },
});

export const webp = defineFormat({
  kind: 'webp',
  title: 'WebP picture',
  extensions: ['webp'],
  mediaTypes: ['image/webp'],
  content: { signatures: [['RIFF', null, null, null, null, 'WEBP']] },
});

export const tiff = defineFormat({
  kind: 'tiff',
  title: 'TIFF picture',
  extensions: ['tif', 'tiff'],
  mediaTypes: ['image/tiff'],
  content: {
    signatures: [
      ['II*', 0],
      ['MM', 0, '*'],
    ],
  },
});

export const gif = defineFormat({
  kind: 'gif',
  title: 'GIF picture',
  extensions: ['gif'],
  mediaTypes: ['image/gif'],
  content: { signatures: [['GIF87a'], ['GIF89a']] },
});
