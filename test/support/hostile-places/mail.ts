import { compressedRtf, outlookMessage } from '#test/formats/fixtures/message.ts';
import { COMMON_UNITS, MAIL_UNITS, MARKUP_UNITS, RTF_UNITS } from '../hostile-units.ts';
import { encodeText, FEW, MARKUP, type Places, plain } from './place.ts';

const MAIL_HEAD = 'From: a@b\nSubject: c\nMessage-ID: <d>\nMIME-Version: 1.0\n';
const message = (properties: Record<number, string | Uint8Array>) =>
  outlookMessage({ properties: { 55: 'A subject', 4096: 'A body', ...properties } });

/** Places in e-mail messages. */
export const MAIL_PLACES = {
  eml: {
    'the body': plain('a.eml', `${MAIL_HEAD}\n`, { ...COMMON_UNITS, ...MAIL_UNITS }),
    'a subject': plain(
      'a.eml',
      'From: a@b\nMessage-ID: <d>\nSubject: ',
      { ...COMMON_UNITS, ...MAIL_UNITS },
      '\n\na',
    ),
    recipients: plain(
      'a.eml',
      'From: a@b\nMessage-ID: <d>\nTo: ',
      { ...COMMON_UNITS, ...MAIL_UNITS },
      '\n\na',
    ),
    'a content type': plain(
      'a.eml',
      `${MAIL_HEAD}Content-Type: text/plain`,
      { ...FEW, ...MAIL_UNITS, parameters: '; a=b' },
      '\n\na',
    ),
    parts: plain('a.eml', `${MAIL_HEAD}Content-Type: multipart/mixed; boundary=b\n\n--b\n`, {
      ...FEW,
      ...MAIL_UNITS,
    }),
    'an HTML body': plain('a.eml', `${MAIL_HEAD}Content-Type: text/html\n\n`, MARKUP),
    'a quoted-printable body': plain('a.eml', `${MAIL_HEAD}Content-Transfer-Encoding: quoted-printable\n\n`, {
      ...FEW,
      ...MAIL_UNITS,
      'soft line breaks': 'a=\n',
    }),
    'a base64 body': plain('a.eml', `${MAIL_HEAD}Content-Transfer-Encoding: base64\n\n`, {
      ...FEW,
      ...MAIL_UNITS,
    }),
    'a flowed body': plain('a.eml', `${MAIL_HEAD}Content-Type: text/plain; format=flowed\n\n`, {
      ...FEW,
      ...MAIL_UNITS,
      'flowed lines': 'a \n',
    }),
  },
  msg: {
    'the body': { name: 'a.msg', write: (text) => message({ 4096: text }), units: FEW, most: 2_000_000 },
    'an HTML body': {
      name: 'a.msg',
      write: (text) => message({ 4115: encodeText(text) }),
      units: MARKUP_UNITS,
    },
    'an RTF body': {
      name: 'a.msg',
      write: (text) => message({ 4105: compressedRtf(`{\\rtf1 ${text}`) }),
      units: RTF_UNITS,
      most: 200_000,
    },
  },
} satisfies Places;
