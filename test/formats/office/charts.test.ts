import { describe, expect, it } from 'vitest';
import { odf } from '../fixtures/odf.ts';
import { readDocument, readMarkdown, withParts } from '../fixtures/parts.ts';
import { pptx, chart as slideChart } from '../fixtures/slides.ts';
import { docx, paragraph, run } from '../fixtures/word.ts';
import { xlsx } from '../fixtures/workbook.ts';

const points = (values: (string | number)[]) =>
  values.map((value, at) => `<c:pt idx="${at}"><c:v>${value}</c:v></c:pt>`).join('');
const texts = (values: string[]) => `<c:strRef><c:strCache>${points(values)}</c:strCache></c:strRef>`;
const numbers = (values: (string | number)[], format = 'General') =>
  `<c:numRef><c:numCache><c:formatCode>${format}</c:formatCode>${points(values)}</c:numCache></c:numRef>`;
const title = (text: string) =>
  `<c:title><c:tx><c:rich><a:p><a:r><a:t>${text}</a:t></a:r></a:p></c:rich></c:tx></c:title>`;
const series = (name: string, inner: string) => `<c:ser><c:tx>${texts([name])}</c:tx>${inner}</c:ser>`;
const chartSpace = (plot: string, heading = '') =>
  `<c:chartSpace xmlns:c="c" xmlns:a="a"><c:chart>${heading}<c:plotArea>${plot}</c:plotArea></c:chart></c:chartSpace>`;

const COLUMNS = chartSpace(
  `<c:barChart><c:barDir val="col"/>${series('Tea', `<c:cat>${texts(['Dover', 'Hull'])}</c:cat><c:val>${numbers([0.1 + 0.2, 5])}</c:val>`)}${series('Salt', `<c:cat>${texts(['Dover', 'Hull'])}</c:cat><c:val>${numbers([0.25, 0.5], '0%')}</c:val>`)}</c:barChart><c:catAx>${title('Harbour')}</c:catAx><c:valAx>${title('Tons')}</c:valAx>`,
  title('Cargo'),
);
const COLUMNS_SHOWN =
  '**Cargo** (column chart; values: Tons)\n\n| Harbour | Tea | Salt |\n| ------- | --- | ---- |\n| Dover   | 0.3 | 25%  |\n| Hull    | 5   | 50%  |';

const inWord = (part: string) =>
  withParts(
    docx(
      paragraph(
        `${run('Above')}<w:r><w:drawing><a:graphic><a:graphicData><c:chart r:id="chart1"/></a:graphicData></a:graphic></w:drawing></w:r>`,
      ) + paragraph(run('Below')),
    ),
    { 'word/charts/chart1.xml': part },
    'word/document.xml',
    { chart1: ['chart', 'charts/chart1.xml'] },
  );
const plain = { hide_headers: true, hide_footers: true };

describe('charts of Office Open XML', () => {
  it('follow their paragraph in a Word document', async () => {
    const { markdown, omissions } = await readDocument(inWord(COLUMNS), plain);
    expect(markdown).toBe(`Above\n\n${COLUMNS_SHOWN}\n\nBelow`);
    expect(omissions.filter((message) => message.includes('chart'))).toEqual([]);
  });

  it('follow the cells of a sheet, and a sheet may be nothing but a chart', async () => {
    const book = xlsx([{ name: 'Only', cells: {}, rest: '<drawing r:id="d"/>' }], []);
    const frame =
      '<xdr:wsDr><xdr:graphicFrame><a:graphic><a:graphicData><c:chart r:id="c"/></a:graphicData></a:graphic></xdr:graphicFrame></xdr:wsDr>';
    const bytes = withParts(
      book,
      { 'xl/drawings/drawing1.xml': frame, 'xl/charts/chart1.xml': COLUMNS },
      'xl/drawings/drawing1.xml',
      { c: ['chart', '../charts/chart1.xml'] },
    );
    expect(await readMarkdown(bytes)).toBe(`## Only\n\n${COLUMNS_SHOWN}`);
  });

  it('are written once if several frames refer to one chart', async () => {
    const markdown = await readMarkdown(pptx([{ shapes: slideChart + slideChart }]));
    expect(markdown.split('**Sales**')).toHaveLength(2);
  });

  it('join the levels of categories and show dates as days', async () => {
    const levels = `<c:cat><c:multiLvlStrRef><c:multiLvlStrCache><c:lvl>${points(['Q1', 'Q2', 'Q1'])}</c:lvl><c:lvl><c:pt idx="0"><c:v>2023</c:v></c:pt><c:pt idx="2"><c:v>2024</c:v></c:pt></c:lvl></c:multiLvlStrCache></c:multiLvlStrRef></c:cat>`;
    const years = chartSpace(
      `<c:lineChart>${series('Ships', `${levels}<c:val>${numbers([1, 2, 3])}</c:val>`)}</c:lineChart>`,
    );
    expect(await readMarkdown(inWord(years), plain)).toContain(
      '**Line chart**\n\n|           | Ships |\n| --------- | ----- |\n| 2023 / Q1 | 1     |\n| 2023 / Q2 | 2     |\n| 2024 / Q1 | 3     |',
    );
    const days = chartSpace(
      `<c:areaChart>${series('Ships', `<c:cat>${numbers([45352], 'd/m/yyyy')}</c:cat><c:val>${numbers([7])}</c:val>`)}</c:areaChart>`,
    );
    expect(await readMarkdown(inWord(days), plain)).toContain('| 2024-03-01 | 7     |');
  });

  it('list the points of series with x values of their own', async () => {
    const point = (x: number, y: number) =>
      `<c:xVal>${numbers([x])}</c:xVal><c:yVal>${numbers([y])}</c:yVal>`;
    const axes = `<c:valAx><c:axPos val="b"/>${title('Depth')}</c:valAx><c:valAx><c:axPos val="l"/>${title('Heat')}</c:valAx>`;
    const scatter = chartSpace(
      `<c:scatterChart>${series('North', point(1, 10))}${series('South', point(2, 20))}</c:scatterChart>${axes}`,
    );
    expect(await readMarkdown(inWord(scatter), plain)).toContain(
      '**Scatter chart; values: Heat**\n\n| Series | Depth | Heat |\n| ------ | ----- | ---- |\n| North  | 1     | 10   |\n| South  | 2     | 20   |',
    );
    const bubbles = chartSpace(
      `<c:bubbleChart>${series('North', `${point(1, 10)}<c:bubbleSize>${numbers([99])}</c:bubbleSize>`)}</c:bubbleChart>`,
    );
    expect(await readMarkdown(inWord(bubbles), plain)).toContain('| North  | 1   | 10  | 99   |');
  });

  it('show labels that were written for single points', async () => {
    const label = `<c:dLbls><c:dLbl><c:idx val="0"/><c:tx><c:rich><a:p><a:r><a:t>storm</a:t></a:r></a:p></c:rich></c:tx></c:dLbl></c:dLbls>`;
    const pie = chartSpace(
      `<c:pieChart>${series('Ships', `${label}<c:cat>${texts(['May'])}</c:cat><c:val>${numbers([2])}</c:val>`)}</c:pieChart>`,
    );
    expect(await readMarkdown(inWord(pie), plain)).toContain('| May | 2 (storm) |');
  });

  it('are cut with an omission if they have more points than a reader needs', async () => {
    const many = Array.from({ length: 9000 }, (_, at) => at);
    const wide = chartSpace(
      `<c:lineChart>${Array.from({ length: 20 }, (_, at) => series(`S${at}`, `<c:val>${numbers(at === 0 ? many : [1])}</c:val>`)).join('')}</c:lineChart>`,
    );
    const { omissions } = await readDocument(inWord(wide), plain);
    expect(omissions).toContainEqual(expect.stringContaining('has too many values'));
  });

  it('are cut with an omission if they have more series than a reader needs', async () => {
    const one = series('S', `<c:val>${numbers([1])}</c:val>`);
    const { omissions } = await readDocument(
      inWord(chartSpace(`<c:lineChart>${one.repeat(1_003)}</c:lineChart>`)),
      plain,
    );
    expect(omissions).toContainEqual('The chart line chart has too many series: 3 of them are not read.');
  });

  it('are read in the format of Office 2016', async () => {
    const level = (values: (string | number)[]) =>
      `<cx:lvl>${values.map((value, at) => `<cx:pt idx="${at}">${value}</cx:pt>`).join('')}</cx:lvl>`;
    const waterfall = `<cx:chartSpace xmlns:cx="cx" xmlns:a="a"><cx:chartData><cx:data id="0"><cx:strDim type="cat">${level(['Start', 'Loss'])}</cx:strDim><cx:numDim type="val">${level([100, -40.5])}</cx:numDim></cx:data></cx:chartData><cx:chart><cx:title><cx:tx><cx:rich><a:p><a:r><a:t>Stock</a:t></a:r></a:p></cx:rich></cx:tx></cx:title><cx:plotArea><cx:plotAreaRegion><cx:series layoutId="waterfall"><cx:tx><cx:txData><cx:v>Tons</cx:v></cx:txData></cx:tx><cx:dataId val="0"/></cx:series></cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>`;
    expect(await readMarkdown(inWord(waterfall), plain)).toContain(
      '**Stock** (waterfall chart)\n\n|       | Tons  |\n| ----- | ----- |\n| Start | 100   |\n| Loss  | -40.5 |',
    );
  });
});

const cells = (values: string[]) =>
  values.map((value) =>
    /^[\d.]+$/.test(value)
      ? `<table:table-cell office:value-type="float" office:value="${value}"><text:p>${value}00001</text:p></table:table-cell>`
      : `<table:table-cell><text:p>${value}</text:p></table:table-cell>`,
  );
const odfChart = (rows: string[][]) =>
  `<office:document-content xmlns:office="o"><office:body><office:chart><chart:chart chart:class="chart:bar"><chart:title><text:p>Cargo</text:p></chart:title><chart:plot-area><chart:axis chart:dimension="x"><chart:title><text:p>Harbour</text:p></chart:title></chart:axis><chart:axis chart:dimension="y"><chart:title><text:p>Tons</text:p></chart:title></chart:axis></chart:plot-area><table:table>${rows.map((row) => `<table:table-row>${cells(row).join('')}</table:table-row>`).join('')}</table:table></chart:chart></office:chart></office:body></office:document-content>`;
const frame =
  '<draw:frame><draw:object xlink:href="./Object 1"/><draw:image xlink:href="./ObjectReplacements/Object 1"/></draw:frame>';
const ODF_SHOWN =
  '**Cargo** (column chart; values: Tons)\n\n| Harbour | Tea |\n| ------- | --- |\n| Dover   | 3   |\n| Hull    | 4.5 |';
const object = {
  'Object 1/content.xml': odfChart([
    ['', 'Tea'],
    ['Dover', '3'],
    ['Hull', '4.5'],
  ]),
};

describe('objects of OpenDocument', () => {
  it.each([
    ['a text', odf('text', `<text:p>Above${frame}</text:p>`)],
    [
      'a sheet',
      odf('spreadsheet', `<table:table table:name="A"><table:shapes>${frame}</table:shapes></table:table>`),
    ],
    ['a slide', odf('presentation', `<draw:page>${frame}</draw:page>`)],
  ])('are charts that become tables in %s', async (_, bytes) => {
    const { markdown, omissions } = await readDocument(withParts(bytes, object));
    expect(markdown).toContain(ODF_SHOWN);
    expect(omissions.filter((message) => message.includes('Object 1'))).toEqual([]);
  });

  it('are cut with an omission if they have more columns than a reader needs', async () => {
    const wide = {
      'Object 1/content.xml': odfChart([
        ['', ...Array.from({ length: 1_002 }, () => 'a')],
        ['b', '1'],
      ]),
    };
    const { omissions } = await readDocument(withParts(odf('text', `<text:p>Above${frame}</text:p>`), wide));
    expect(omissions).toContainEqual('The chart Cargo has too many values: 3 rows or columns are not read.');
  });

  it('may be formulas, which stay in their line', async () => {
    const math =
      '<math:math xmlns:math="m"><math:semantics><math:mfrac><math:mi>a</math:mi><math:mi>b</math:mi></math:mfrac><math:annotation>{a} over {b}</math:annotation></math:semantics></math:math>';
    const bytes = withParts(odf('text', `<text:p>The share ${frame} counts.</text:p>`), {
      'Object 1/content.xml': math,
    });
    expect(await readMarkdown(bytes, { hide_headers: true })).toBe('The share $\\frac{a}{b}$ counts.');
  });

  it('may be sheets and texts', async () => {
    const body = (inner: string) =>
      `<office:document-content><office:body>${inner}</office:body></office:document-content>`;
    const sheet = `<office:spreadsheet><table:table><table:table-row>${cells(['Pier', '7']).join('')}</table:table-row></table:table></office:spreadsheet>`;
    const bytes = odf('text', `<text:p>Above${frame}</text:p>`);
    expect(await readMarkdown(withParts(bytes, { 'Object 1/content.xml': body(sheet) }))).toContain(
      '| Pier |',
    );
    const inner = '<office:text><text:p>Words inside</text:p></office:text>';
    expect(await readMarkdown(withParts(bytes, { 'Object 1/content.xml': body(inner) }))).toContain(
      '\n\nWords inside',
    );
  });
});
