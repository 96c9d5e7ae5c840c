import { describe, expect, it } from 'vitest';
import { decodeText } from '#src/text-formats/encoding.ts';
import { encode } from '#test/formats/fixtures/encode.ts';

/** Short texts as in tables and notes: column headings, names, single sentences. */
const TEXTS: [labels: string[], texts: string[]][] = [
  [
    ['shift_jis', 'euc-jp', 'iso-2022-jp'],
    [
      '名前,年齢,住所\n山田太郎,42,東京都港区\n',
      '商品,数量,金額\nりんご,3,450円\n',
      'お問い合わせは電話でどうぞ。',
      '港の防波堤は修理されました。',
      'カタカナのデータベース',
      '会社名,電話番号\n山本商店,03-1234-5678\n',
      '本日は定休日です。',
      '第三四半期の売上高は前年同期を上回った',
      'サーバーのメモリ使用率',
    ],
  ],
  [
    ['gb18030'],
    [
      '姓名,年龄,地址\n王小明,42,北京市海淀区\n',
      '港口的防波堤已经修好了。',
      '产品名称,数量,价格\n苹果,3,45元\n',
      '请在下午五点以前回复这封信',
      '公司电话号码和联系地址',
      '第三季度的收入比去年高',
    ],
  ],
  [
    ['big5'],
    [
      '姓名,年齡,地址\n王小明,42,台北市大安區\n',
      '港口的防波堤已經修好了。',
      '產品名稱,數量,價格\n蘋果,3,45元\n',
      '請在下午五點以前回覆這封信',
      '公司電話號碼和聯絡地址',
    ],
  ],
  [
    ['euc-kr'],
    [
      '이름,나이,주소\n김철수,42,서울시 강남구\n',
      '항구의 방파제가 수리되었다.',
      '제품,수량,가격\n사과,3,450원\n',
      '오후 다섯 시까지 답장해 주세요',
      '회사 전화번호와 연락처',
    ],
  ],
  [
    ['windows-1251', 'koi8-r', 'iso-8859-5', 'ibm866'],
    [
      'Имя,Возраст,Город\nИван,42,Москва\n',
      'Волнолом в гавани починили.',
      'ОТЧЕТ О РАБОТЕ ЗА МЕСЯЦ',
      'Товар;Количество;Цена\n',
      'Ответьте, пожалуйста, до пяти часов',
    ],
  ],
  [
    ['windows-1251', 'koi8-u'],
    [
      'Номер;Назва;Місто\n1;Скляна тарілка;Київ\n',
      'Хвилеріз у гавані полагодили, їдьте обережно.',
      'Ґанок і її сад',
    ],
  ],
  [
    ['windows-1253', 'iso-8859-7'],
    ['Το λιμάνι επισκευάστηκε μετά την καταιγίδα', 'Όνομα;Ηλικία;Πόλη\nΓιώργος;42;Αθήνα\n'],
  ],
  [['windows-1255'], ['שובר הגלים בנמל תוקן אחרי הסערה', 'שם,גיל,עיר\nדוד,42,ירושלים\n']],
  [
    ['windows-1256', 'iso-8859-6'],
    ['تم إصلاح حاجز الأمواج في الميناء', 'الاسم,العمر,المدينة\nمحمد,42,القاهرة\n'],
  ],
  [
    ['windows-1250', 'iso-8859-2'],
    [
      'Imię,Wiek,Miasto\nŁukasz,42,Łódź\n',
      'Falochron został już naprawiony, dziękujemy.',
      'Příliš žluťoučký kůň úpěl ďábelské ódy',
      'Jméno;Věk;Město\nJiří;42;Plzeň\n',
      'Árvíztűrő tükörfúrógép',
    ],
  ],
  [['windows-1254'], ['Dalgakıran fırtınadan sonra onarıldı', 'Adı;Yaşı;Şehir\nAyşe;42;Eskişehir\n']],
  [
    ['windows-1252'],
    [
      'Name;Größe;Straße\nMüller;42;Köln\n',
      'Prénom,Âge,Ville\nRené,42,Nîmes\n',
      'La fête de la forêt a été belle',
      'O coração não tem razão, são opções',
      'El niño comió piñas en España. ¿Cuántas?',
      'Perché la città è più bella',
      'Smörgåsbord på Åland är gott',
      'Blåbærgrød på Ærø i år',
      'Pääsiäisyönä sää oli hyvää',
      'Það er gott að búa á Íslandi',
      'ÄÖ',
      'Übergröße ÄÖÜ',
      '“Quoted” – 5 €, 20 °C, §4, it’s',
      'naïve café',
      'Señor Muñoz, déjà vu, Flüge',
    ],
  ],
];

const CASES = TEXTS.flatMap(([labels, texts]) =>
  labels.flatMap((label) => texts.map((text) => [label, text] as const)),
);

describe('signs of short text without declared encoding', () => {
  it.each([
    ['windows-1252', '½ cup, ¼ cup, ¾ cup, 1½ cups and 2½ cups of flour'],
    ['windows-1252', '1½ Tassen Mehl, ¾ Liter Milch, ½ Würfel Hefe'],
    ['windows-1252', 'Prix;10 €\nCafé;20 €\n'],
    ['iso-8859-15', 'Prix;10 €\nCafé;20 €\n'],
    ['iso-8859-15', 'Le cœur de ma sœur'],
    ['windows-1250', 'Czekam od trzech godzin. Na ulicach były korki, stałem godzinę.'],
    ['macintosh', 'Artículo;Precio\nJamón;14,20\nLimón;1,10\nPiña;2,60\nAtún;2,55\nPiñones;9,40\n'],
  ])('are decoded as %s: %j', (label, text) => {
    expect(decodeText(encode(label, text)).text).toBe(text);
  });
});

describe('short text without declared encoding', () => {
  it.each(CASES)('is decoded as %s: %j', (label, text) => {
    expect(decodeText(encode(label, text)).text).toBe(text);
  });

  it.each(CASES)('is decoded as UTF-8 if valid (%s): %j', (_, text) => {
    expect(decodeText(new TextEncoder().encode(text))).toEqual({ text, encoding: 'utf-8' });
  });

  const long = CASES.filter(([, text]) => text.length >= 15);
  it.each(long)('is decoded as UTF-16 without byte order mark (%s): %j', (_, text) => {
    const little = new Uint8Array(Uint16Array.from(text, (letter) => letter.charCodeAt(0)).buffer);
    expect(decodeText(little)).toEqual({ text, encoding: 'utf-16le' });
    const big = little.map((_, at) => little[at ^ 1]!);
    expect(decodeText(big)).toEqual({ text, encoding: 'utf-16be' });
  });
});

describe('bytes with an escape sequence', () => {
  const toCharCodes = (text: string) => new TextEncoder().encode(text);

  it.each([
    ['colours of a terminal', '\u001b[31mred\u001b[0m and plain'],
    ['a mark that nothing readable follows', 'a \u001b$B\u0001 b'],
    ['a mark beside UTF-8', '\u001b$B é \u001b(B'],
  ])('are not decoded as Japanese: %s', (_, text) => {
    expect(decodeText(toCharCodes(text))).toEqual({ text, encoding: 'utf-8' });
  });

  it('are decoded as Japanese in a long text with a damaged end', () => {
    const long = encode('iso-2022-jp', '港の防波堤は修理されました。\n'.repeat(2_000));
    const { text, encoding } = decodeText(Uint8Array.from([...long, 0x1b, 0x24, 0x42, 0x01]));
    expect(encoding).toBe('iso-2022-jp');
    expect(text.startsWith('港の防波堤は修理されました。\n港の')).toBe(true);
  });

  it('are decoded as Japanese for half-width katakana', () => {
    expect(decodeText(toCharCodes('\u001b(I6@6E\u001b(B 1')).text).toBe('ｶﾀｶﾅ 1');
  });
});
