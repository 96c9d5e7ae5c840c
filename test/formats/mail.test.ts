import { describe, expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { parserSuite, readAll } from '#test/suites/parser.suite.ts';
import { png } from './fixtures/pictures.ts';
import { docx, paragraph, run } from './fixtures/word.ts';

const utf8 = (text: string) => new TextEncoder().encode(text.replace(/\r?\n/g, '\r\n'));
const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes)).replace(/.{76}/g, '$&\n');

const part = (headers: string, body: string) => `--b\n${headers}\n\n${body}\n`;

const file = (name: string, type: string, bytes: Uint8Array, more = '') =>
  part(
    `Content-Type: ${type}; name="${name}"\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename="${name}"${more}`,
    base64(bytes),
  );

const HEADERS = `From: Ada <ada@example.org>
To: "Bob, B." <bob@example.org>, carol@example.org
Date: Fri, 1 Mar 2024 10:00:00 +0000
Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=
Message-ID: <1@example.org>
MIME-Version: 1.0
`;

async function mail(): Promise<Uint8Array> {
  const picture = await png();
  const parts = [
    part(
      'Content-Type: text/html; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable',
      '<p>Caf=E9 <b>now</b>, <a href=3D"https://example.org/">here</a></p><table><tr><th>Port</th><th>Depth</th></tr><tr><td>Agger</td><td>4 m</td></tr></table><img src=3D"cid:pic" alt=3D"shown">',
    ),
    file('pic.png', 'image/png', picture, '\nContent-ID: <pic>'),
    file('report.docx', 'application/octet-stream', docx(paragraph(run('Attached words')), picture)),
    file('broken.zip', 'application/zip', Uint8Array.from([0x50, 0x4b, 3, 4, 9, 9, 9, 9])),
  ];
  return utf8(`${HEADERS}Content-Type: multipart/mixed; boundary=b\n\n${parts.join('')}--b--\n`);
}

parserSuite({
  kind: 'eml',
  holds: {
    headings: 2,
    tables: 1,
    lists: 1,
    links: 1,
    figures: 1,
    labels: ['1', 'report.docx'],
    metadata: ['title', 'author', 'language'],
  },
  bytes: mail,
  parameters: { hide_headers: true, hide_footers: true },
  markdown: [
    '# Grüße\n\n**From:** Ada <ada@example.org>  \n**To:** Bob, B. <bob@example.org>, carol@example.org  \n**Date:** Fri, 1 Mar 2024 10:00:00 +0000  \n**Subject:** Grüße\n\nCafé **now**, [here](https://example.org/)\n\n| Port  | Depth |\n| ----- | ----- |\n| Agger | 4 m   |\n\n![shown](image-1.png)\n\n## Attachments\n\n- report.docx\n- broken.zip (not read: FILE_IS_BROKEN: The file is damaged: its zip container has no directory (it is probably cut short).)',
    'Attached words',
  ],
});

describe('e-mail', () => {
  it('lists unreadable attachments and reads the others', async () => {
    const document = await openDocument({ bytes: await mail(), name: '', plan: resolveParsePlan({}) });
    expect(document.metadata).toMatchObject({
      title: 'Grüße',
      author: 'Ada',
      createdAt: '2024-03-01T10:00:00.000Z',
      attachments: ['report.docx', 'broken.zip'],
      failedAttachments: [{ name: 'broken.zip', reason: expect.stringContaining('FILE_IS_BROKEN') }],
    });
    expect((await document.readPage(1)).label).toBe('report.docx');
  });

  it('rejects a message with too many part boundaries', async () => {
    const head = 'From: a@b.example\nContent-Type: multipart/mixed; boundary="b"\n\n';
    const bytes = utf8(head + '--b\n\nx\n'.repeat(10_001));
    await expect(
      openDocument({ bytes, name: 'parts.eml', plan: resolveParsePlan({}) }),
    ).rejects.toMatchObject({
      reason: 'DOCUMENT_TOO_LARGE',
    });
  });

  it('reads nested messages to a limited depth', async () => {
    let inner = `${HEADERS}Content-Type: text/plain\n\nThe innermost words\n`;
    for (let level = 0; level < 6; level++) {
      inner = `${HEADERS}Content-Type: multipart/mixed; boundary=b${level}\n\n--b${level}\nContent-Type: text/plain\n\nlevel ${level}\n--b${level}\nContent-Type: message/rfc822\n\n${inner}\n--b${level}--\n`;
    }
    const pages = await readAll(
      await openDocument({ bytes: utf8(inner), name: '', plan: resolveParsePlan({}) }),
    );
    expect(pages.map((page) => /level \d/.exec(page.text)?.[0])).toEqual([
      'level 5',
      'level 4',
      'level 3',
      'level 2',
    ]);
  });

  it.each([
    ['utf-16le', true],
    ['utf-16be', false],
    ['utf-16le with a byte order mark', true],
  ])('reads a message that was saved in %s', async (name, isLittle) => {
    const latin = part('Content-Type: text/plain; charset="iso-8859-1"', 'Grüße vom Kai');
    const coded = part(
      'Content-Type: text/html; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable',
      '<p>Gr=FC=DFe vom Kai</p>',
    );
    const head = `${HEADERS}Content-Type: multipart/mixed; boundary=b\n\n`;
    const text = `${name.includes('mark') ? '\ufeff' : ''}${head}${latin}${coded}--b--\n`;
    const bytes = new Uint8Array(text.length * 2);
    const view = new DataView(bytes.buffer);
    for (let at = 0; at < text.length; at++) view.setUint16(at * 2, text.charCodeAt(at), isLittle);
    const [page] = await readAll(await openDocument({ bytes, name: 'a.eml', plan: resolveParsePlan({}) }));
    expect(page!.text.match(/Grüße vom Kai/g)).toHaveLength(2);
  });
});
