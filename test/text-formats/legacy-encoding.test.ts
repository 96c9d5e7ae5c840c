import { describe, expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { decodeText } from '#src/text-formats/encoding.ts';
import { encode } from '#test/formats/fixtures/encode.ts';
import { readAll } from '#test/suites/parser.suite.ts';

const JAPANESE = '港の防波堤は、嵐のあとに修理されました。灯台守は毎朝、潮の高さを記録します。';
const CHINESE = '港口的防波堤在风暴之后已经修好了。灯塔的看守人每天早上都要记录潮水的高度。';
const TAIWANESE = '港口的防波堤在風暴之後已經修好了。燈塔的看守人每天早上都要記錄潮水的高度。';
const KOREAN = '항구의 방파제는 폭풍이 지나간 뒤에 수리되었다. 등대지기는 매일 아침 조수의 높이를 기록한다.';
const RUSSIAN =
  'Волнолом в гавани починили после шторма. Смотритель маяка каждое утро записывает высоту прилива.';
const WESTERN =
  'Die Wellenbrecher im Hafen wurden nach dem Sturm für künftige Flüge geprüft: « déjà vu », señor, à côté.';

const SAMPLES: [label: string, text: string][] = [
  ['shift_jis', JAPANESE],
  ['euc-jp', JAPANESE],
  ['gb18030', CHINESE],
  ['big5', TAIWANESE],
  ['euc-kr', KOREAN],
  ['windows-1251', RUSSIAN],
  ['koi8-r', RUSSIAN],
  ['windows-1251', RUSSIAN.toUpperCase()],
  ['windows-1252', WESTERN],
  ['windows-1252', 'Café, ÄÖÜ'],
  ['windows-874', 'เขื่อนกันคลื่นในท่าเรือได้รับการซ่อมแซมหลังจากพายุ ผู้ดูแลประภาคารจดระดับน้ำทุกเช้า'],
  ['windows-1257', 'Molas uostā tika salabots pēc vētras, un bākas sargs katru rītu pieraksta ūdens līmeni.'],
  [
    'windows-1257',
    'Po audros uosto bangolaužis buvo sutaisytas, o švyturio sargas kas rytą užrašo vandens lygį.',
  ],
  [
    'windows-1250',
    'Lukobran u luci popravljen je nakon oluje, a čuvar svjetionika svako jutro bilježi visinu mora.',
  ],
];

describe('text without declared encoding', () => {
  it.each(SAMPLES)('is decoded as %s: %s', (encoding, text) => {
    expect(decodeText(encode(encoding, text))).toEqual({ text, encoding });
    // ASCII text comes first, as in tables with English headings.
    const late = `${'id,name,place\n'.repeat(9_000)}${text}`;
    expect(decodeText(encode(encoding, late))).toEqual({ text: late, encoding });
    expect(decodeText(new TextEncoder().encode(text))).toEqual({ text, encoding: 'utf-8' });
  });

  it.each([
    ['a.txt', KOREAN, 'euc-kr', KOREAN],
    [
      'a.csv',
      '名前,場所\nはると,みなと\n',
      'shift_jis',
      '| 名前 | 場所 |\n| --- | --- |\n| はると | みなと |',
    ],
    ['a.html', `<p>${RUSSIAN}</p>`, 'koi8-r', RUSSIAN],
    ['a.xml', `<?xml version="1.0" encoding="Big5"?><a>${TAIWANESE}</a>`, 'big5', `# a\n\n${TAIWANESE}`],
  ])('is decoded in %s', async (name, text, label, markdown) => {
    const [page] = await readAll(
      await openDocument({ bytes: encode(label, text), name, plan: resolveParsePlan({}) }),
    );
    expect(page!.markdown.replace(/ +/g, ' ').replace(/-{3,}/g, '---')).toBe(markdown);
  });
});
