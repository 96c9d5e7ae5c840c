import { describe, expect, it } from 'vitest';
import { type AnswerNode, createBuiltinAnswerer } from '#src/builtin/answering/answerer.ts';

async function answer(question: string, ...nodes: (string | AnswerNode)[]) {
  const parts: string[] = [];
  const given = nodes.map((node) => (typeof node === 'string' ? { text: node, language: 'en' } : node));
  for await (const part of createBuiltinAnswerer().answer({ question, nodes: given })) parts.push(part);
  return parts;
}
const said = async (...input: Parameters<typeof answer>) => (await answer(...input)).join('');

const bridge =
  'The old bridge was closed to traffic. Construction of the new bridge began in 1998 and ended four years later. It was designed by Maria Jansen. The toll is 3 euros.';
const cats = 'Cats sleep for most of the day. They wake up to eat.';

describe('built-in answerer', () => {
  it('quotes the sentence that answers the question and cites its node', async () => {
    expect(await said('When did construction of the new bridge begin?', cats, bridge)).toBe(
      'Construction of the new bridge began in 1998 and ended four years later. [2]',
    );
  });

  it('prefers sentences that contain the expected kind of answer', async () => {
    const staff =
      'The designer of the station is not known for modesty. The station designer was Maria Jansen.';
    expect(await said('Who was the designer of the station?', staff)).toMatch(
      /^The station designer was Maria Jansen\. \[1\]/,
    );
  });

  it('removes citation marks of the document itself', async () => {
    const text = 'Albumin binds zinc [2] strongly [3]. It weighs 66 kDa [4, 5–7]. In [2019] it was sold.';
    expect(await said('What does albumin bind?', text)).toBe('Albumin binds zinc strongly. [1]');
    expect(await said('How much does it weigh?', text)).toContain('It weighs 66 kDa. [1]');
    expect(await said('When was it sold?', text)).toContain('In [2019] it was sold. [1]');
  });

  it('quotes table rows as text and skips the header row', async () => {
    const table = [
      '| Item<br>Name | Harbour<br>berth | Price |',
      '| --- | --- | --- |',
      '| Fishing<br>net | North | 40 euros |',
      '| Anchor | South | 75 euros |',
    ].join('\n');
    expect(await said('What is the price of the anchor?', table)).toMatch(/^Anchor, South, 75 euros \[1\]/);
    const net = await said('At which berth is the fishing net?', table);
    expect(net).toContain('Fishing net, North, 40 euros [1]');
    expect(net).not.toMatch(/Item|<br>/);
    expect(await said('Which item name, harbour berth and price?', table)).not.toContain('Item');
  });

  it('quotes the first row of a table without a header', async () => {
    const table = '| Harbour master | Ada Keeper |\n| --- | --- |\n| Lighthouse keeper | Grace |';
    expect(await said('Who is the harbour master?', table)).toContain('Ada Keeper');
  });

  it('leaves out image links', async () => {
    const text = '![page_1_figure_1.png](page_1_figure_1.png) The crane lifts 40 tonnes. ![A crane](c.png)';
    expect(await said('How much does the crane lift?', text)).toBe('The crane lifts 40 tonnes. [1]');
  });

  it('streams the answer in several parts', async () => {
    expect((await answer('When did construction of the bridge begin?', bridge)).length).toBeGreaterThan(1);
  });

  it('reads tables and lists as text', async () => {
    const table = '| Item | Price |\n|---|---|\n| Blue lamp | 40 |\n| Red chair | 90 |\n';
    expect(await said('How much is the red chair?', table)).toBe('Red chair, 90 [1]');
    expect(await said('lamp voltage', '# Specs\n\n- **Lamp voltage**: 12 V\n- Weight: 2 kg')).toBe(
      'Lamp voltage: 12 V [1]',
    );
  });

  it('does not repeat a sentence that two nodes share', async () => {
    expect(await said('Who designed the bridge?', bridge, bridge)).not.toContain('[2]');
  });

  it('quotes no further sentence about something else or about the same', async () => {
    const table =
      '| Berth | Length | Depth |\n| --- | --- | --- |\n| North quay | 180 m | 9.5 m |\n| South quay | 95 m | 6.0 m |';
    expect(await said('How deep is the north quay?', `# Berths\n\n${table}`)).toBe(
      'North quay, 180 m, 9.5 m [1]',
    );
    const prose = 'The north quay is nine metres deep. The quay is deep enough for ferries.';
    expect(await said('How deep is the north quay?', prose)).toBe('The north quay is nine metres deep. [1]');
    const parts = 'The north quay is 180 metres long. It was built of granite in 1893.';
    expect(await said('When was the north quay built of granite?', parts)).toContain('1893');
  });

  it('quotes at most three sentences', async () => {
    const text = Array.from(
      { length: 9 },
      (_, n) => `The toll of the bridge in lane ${n + 1} is ${n} euros.`,
    );
    const answered = await said('What is the toll of the bridge?', text.join(' '));
    expect(answered.match(/\[1\]/g)!.length).toBeLessThanOrEqual(3);
  });

  it.each(['2019', '２０１９'])(
    'quotes only passages that contain the year of the question, here %s',
    async (year) => {
      const earlier = 'Winner of the regatta of 2018 was Maria Jansen, who had won the regatta before.';
      const later = 'In 2019 a storm delayed the regatta. Piet Smit was the winner.';
      const answered = await said(`Who was the winner of the regatta of ${year}?`, earlier, later);
      expect(answered).toContain('Piet Smit was the winner. [2]');
      expect(answered).not.toContain('[1]');
    },
  );

  it('finds the year of a question in the title and the headings', async () => {
    const text = 'Winner of the regatta was Maria Jansen.';
    const named = [{ title: 'Regatta 2018' }, { headings: ['Results', '2018'] }];
    for (const place of named) {
      const node = { text, language: 'en', ...place };
      const other = 'Winner of the regatta in 2019 was Piet Smit.';
      const answered = await said('Who was the winner of the regatta in 2018?', other, node);
      expect(answered).toMatch(/^Winner of the regatta was Maria Jansen\. \[2\]$/);
    }
  });

  it('answers a question with a year that no passage contains', async () => {
    const text = 'Winner of the regatta was Maria Jansen.';
    expect(await said('Who was the winner of the regatta in 2018?', text)).toContain('Maria Jansen');
  });

  it('answers each part of a question without repeating sentences', async () => {
    const parts = ['When did construction of the new bridge begin?', 'Who designed the new bridge?'];
    const nodes = [{ text: bridge, language: 'en' }];
    const answered = await Array.fromAsync(
      createBuiltinAnswerer().answer({ question: parts.join(' '), parts, nodes }),
    );
    expect(answered.join('')).toContain('began in 1998');
    expect(answered.join('')).toContain('designed by Maria Jansen');
    expect(new Set(answered.filter((part) => !part.startsWith(' [')).map((part) => part.trim())).size).toBe(
      answered.filter((part) => !part.startsWith(' [')).length,
    );
  });

  it('uses the title of a document to decide what its text is about', async () => {
    const manual = { text: 'The warranty lasts two years.', language: 'en' };
    const question = 'How long is the warranty of the Corran lighthouse lamp?';
    expect(await said(question, { ...manual, title: 'Corran lighthouse lamp' })).toContain('two years. [1]');
    expect(await said(question, { ...manual, title: 'Ardgour ferry engine' })).not.toContain('two years');
  });

  it('quotes only part of a text that has no sentence ends', async () => {
    const clause = 'ประภาคารแห่งนี้สร้างขึ้นบนเกาะเล็กๆกลางทะเลเพื่อเตือนเรือที่แล่นผ่านไปมาในเวลากลางคืน';
    const text = [...Array(9).fill(clause), 'ผู้ดูแลประภาคารชื่อมาทิลดา', ...Array(9).fill(clause)].join(' ');
    const answered = await said('ผู้ดูแลประภาคารชื่ออะไร', { text, language: 'th' });
    expect(answered).toContain('มาทิลดา');
    expect(answered.length).toBeLessThan(text.length / 3);
  });

  it('leaves out HTML, file names and the end of a sentence of the chunk before', async () => {
    const text =
      'crane of the harbour.\n\nharbour-crane.pdf\n\n<p class="a">The harbour crane <b>lifts</b> 40 tonnes.</p>';
    const node = { text, language: 'en', startChar: 900 };
    expect(await said('How much does the harbour crane lift?', node)).toBe(
      'The harbour crane lifts 40 tonnes. [1]',
    );
  });

  it('weighs the words of a question by the whole index', async () => {
    const text = 'The tower of the harbour was painted in 1990.';
    const question = 'When was the Ardgour tower of the harbour painted?';
    const ask = async (containing: Record<string, number>) => {
      const counts = { chunks: 1_000, containing };
      const nodes = [{ text, language: 'en' }];
      return (await Array.fromAsync(createBuiltinAnswerer().answer({ question, nodes, counts }))).join('');
    };
    const common = { when: 900, was: 900, the: 900, of: 900, tower: 800, harbour: 800, painted: 800 };
    expect(await ask({ ...common, ardgour: 0 })).not.toContain('1990');
    expect(await ask({ ...common, ardgour: 990, tower: 3, harbour: 3, painted: 3 })).toContain('1990');
  });

  it('weighs words of programs like other words, whether the index counted them or not', async () => {
    const nodes = [{ text: 'The soup is cooked for an hour.', language: 'en' }];
    for (const containing of [{ the: 900 }, { the: 900, constructor: 0 }] as unknown as Record<
      string,
      number
    >[]) {
      const input = {
        question: 'What does the constructor do?',
        nodes,
        counts: { chunks: 1_000, containing },
      };
      const said = (await Array.fromAsync(createBuiltinAnswerer().answer(input))).join('');
      expect(said).not.toContain('soup');
    }
  });

  it.each(['When was the report?', 'Where is the file?', 'What about maintenance?'])(
    'quotes no beginning for a question about one fact: %s',
    async (question) => {
      expect(await said(question, { text: 'Birds nest in the old tower.', language: 'en' })).not.toContain(
        'Birds',
      );
    },
  );

  it.each(['What is this document about?', 'Summarize this document'])(
    'quotes the beginning of the document: %s',
    async (question) => {
      const chunk = { language: 'en', documentId: 'd' };
      const later = {
        ...chunk,
        text: 'Birds nest in the old tower of the harbour every spring.',
        startChar: 900,
      };
      const first = {
        ...chunk,
        text: '# Harbour\n\nThe harbour was built for the fishing fleet.',
        startChar: 0,
      };
      expect(await said(question, later, first)).toBe('The harbour was built for the fishing fleet. [2]');
    },
  );

  it('quotes the summary of the document if a heading names it', async () => {
    const text =
      '# Harbours\n\nA. Moss and B. Stone, University of the Isles, March\n\n## Abstract\n\nWe count the boats of forty harbours.\n\n## Data';
    const node = { text, language: 'en', documentId: 'd', startChar: 0 };
    expect(await said('What is this paper about?', node)).toBe('We count the boats of forty harbours. [1]');
    const later = {
      text: 'We weigh the nets of forty harbours.',
      headings: ['Harbours', '1. Summary:'],
      language: 'en',
    };
    const pages = [
      {
        text: 'A. Moss and B. Stone, University of the Isles.',
        language: 'en',
        documentId: 'd',
        startChar: 0,
      },
      { ...later, documentId: 'd', startChar: 50 },
    ];
    expect(await said('What is this paper about?', ...pages)).toBe(
      'We weigh the nets of forty harbours. [2]',
    );
  });

  it.each([
    ['Fass das Dokument zusammen', 'de', 'Der Hafen wurde für die Fischer der Insel gebaut.'],
    ['这份文件的主要内容是什么？', 'zh', '这座港口是为渔船建造的。'],
  ])('quotes the beginning of the document in other languages: %s', async (question, language, text) => {
    expect(await said(question, { text, language })).toContain(text);
  });

  it('answers in other languages', async () => {
    expect(await said('桥的成本是多少？', { text: '猫在睡觉。新桥的成本为一百万元。', language: 'zh' })).toBe(
      '新桥的成本为一百万元。 [1]',
    );
    expect(
      await said('Кто построил новый мост?', {
        text: 'Кошка спит. Новый мост построил Иван Петров.',
        language: 'ru',
      }),
    ).toBe('Новый мост построил Иван Петров. [1]');
  });

  it.each([
    ['What is the boiling point of mercury?', 'Nothing in the documents was found'],
    ['Wie hoch ist der Siedepunkt von Quecksilber?', 'In den Dokumenten wurde nichts gefunden'],
    ['汞的沸点是多少？', '文档中没有找到'],
  ])('states that nothing relevant was found: %s', async (question, message) => {
    const text = await said(question, cats);
    expect(text).toContain(message);
    expect(text).not.toMatch(/\[\d/);
    expect(await said(question)).toBe(text);
  });
});
