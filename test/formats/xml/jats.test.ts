import { describe, expect, it } from 'vitest';
import { readXml } from './read-xml.ts';

const FRONT = `<front><journal-meta><journal-id>gull</journal-id><journal-title-group><journal-title>Letters of the Harbour</journal-title></journal-title-group><issn>1234-5678</issn></journal-meta>
<article-meta><article-id pub-id-type="doi">10.1/secret</article-id><title-group><article-title>Light over H<sub>2</sub>O</article-title></title-group>
<contrib-group><contrib contrib-type="author"><contrib-id>https://orcid.example/1</contrib-id><name><surname>Moss</surname><given-names>Ada</given-names></name><xref ref-type="aff" rid="a1"><sup>1</sup></xref></contrib><contrib contrib-type="author"><name><surname>Reed</surname><given-names>Bo</given-names></name></contrib></contrib-group>
<aff id="a1"><label>1</label><institution-wrap><institution-id>ror:1</institution-id><institution>Harbour School</institution></institution-wrap>, <country>Norway</country></aff>
<pub-date><day>3</day><month>4</month><year>2021</year></pub-date><permissions><license><license-p>Copy it freely</license-p></license></permissions>
<abstract><p>We watched the <italic>sea</italic>.</p></abstract><kwd-group><kwd>light</kwd><kwd>sea</kwd></kwd-group></article-meta></front>`;

const article = (body: string, back = '') =>
  `<!DOCTYPE article PUBLIC "-//NLM//DTD JATS v1.2//EN" "JATS.dtd"><article xml:lang="en" xmlns:mml="http://www.w3.org/1998/Math/MathML" xmlns:xlink="http://www.w3.org/1999/xlink">${FRONT}<body>${body}</body><back>${back}</back></article>`;

const readBody = async (body: string, back = '') =>
  (await readXml(article(body, back), 'a.nxml')).markdown.split('**Keywords:** light, sea\n\n')[1];

describe('JATS articles', () => {
  it('begin with title, authors, affiliations and abstract, without identifiers and permissions', async () => {
    const { markdown, metadata } = await readXml(article('<p>Text.</p>'), 'paper.nxml');
    expect(markdown).toBe(
      [
        '# Light over H<sub>2</sub>O',
        '*Letters of the Harbour*',
        'Ada Moss<sup>1</sup>, Bo Reed',
        '<sup>1</sup> Harbour School, Norway',
        '## Abstract',
        'We watched the *sea*.',
        '**Keywords:** light, sea',
        'Text.',
      ].join('\n\n'),
    );
    expect(metadata).toMatchObject({
      title: 'Light over H2O',
      author: 'Ada Moss, Bo Reed',
      createdAt: '2021-04-03T00:00:00.000Z',
      language: 'en',
    });
  });

  it('turn nested sections into heading levels', async () => {
    const body =
      '<sec><label>1.</label><title>Lamps</title><p>One.</p><sec><title>Oil</title><p>Two.</p></sec></sec><sec><title>Fog</title><p>Three.</p></sec>';
    expect(await readBody(body)).toBe('## 1. Lamps\n\nOne.\n\n### Oil\n\nTwo.\n\n## Fog\n\nThree.');
  });

  it('write tables with captions, merged cells and notes, and prefer them to pictures', async () => {
    const body = `<table-wrap id="t1"><object-id>10.1/t1</object-id><label>Table 1</label><caption><title>Lamps by <bold>port</bold></title></caption><alternatives><graphic xlink:href="t1.png"/><table><thead><tr><th colspan="2">Port</th><th>Count</th></tr></thead><tbody><tr><td rowspan="2">North</td><td>old</td><td>3</td></tr><tr><td>new</td><td>4<sup>a</sup></td></tr></tbody></table></alternatives><table-wrap-foot><fn><p>a Estimated</p></fn></table-wrap-foot></table-wrap>`;
    expect(await readBody(body)).toBe(
      [
        '**Table 1** Lamps by **port**',
        '| Port  |     | Count         |\n| ----- | --- | ------------- |\n| North | old | 3             |\n|       | new | 4<sup>a</sup> |',
        'a Estimated',
      ].join('\n\n'),
    );
  });

  it('write displayed formulas from TeX and MathML with their labels', async () => {
    const body = `<disp-formula><label>(1)</label><tex-math><![CDATA[\\begin{document}$$x^2 < 4$$\\end{document}]]></tex-math></disp-formula><p>Here <inline-formula><mml:math><mml:msub><mml:mi>a</mml:mi><mml:mn>1</mml:mn></mml:msub></mml:math></inline-formula> is a length.</p>`;
    const markdown = await readBody(body);
    expect(markdown).toMatch(/^\$\$x\^2 < 4.*\$\$/);
    expect(markdown).toMatch(/\b1\b/);
    expect(markdown).toContain('Here $a_{1}$ is a length.');
    expect(markdown).not.toContain('CDATA');
  });

  it('tie footnotes to their marks', async () => {
    const body = '<p>Seen<xref ref-type="fn" rid="f1"><sup>1</sup></xref> twice.</p>';
    const back = '<fn-group><fn id="f1"><label>1</label><p>By night.</p></fn></fn-group>';
    expect(await readBody(body, back)).toBe('Seen[^1] twice.\n\n[^1]: By night.');
  });

  it('write references as a numbered list', async () => {
    const back = `<ref-list><title>References</title><ref id="r1"><label>1</label><mixed-citation><name><surname>Moss</surname><given-names>A</given-names></name>. <source>Lamps</source>. <year>1999</year>; <pub-id pub-id-type="doi">10.1/x</pub-id></mixed-citation></ref><ref><label>2</label><element-citation><person-group><name><surname>Reed</surname><given-names>B</given-names></name><name><surname>Oak</surname><given-names>C</given-names></name></person-group><article-title>Fog</article-title><source>Sea</source><year>2001</year><volume>3</volume><issue>2</issue><fpage>10</fpage><lpage>12</lpage></element-citation></ref></ref-list>`;
    expect(await readBody('<p>Text.</p>', back)).toBe(
      'Text.\n\n## References\n\n1. Moss A. Lamps. 1999; doi:10.1/x\n2. Reed B, Oak C. Fog. *Sea*. 2001. 3(2):10–12',
    );
  });

  it('write lists, quotes and code, and report pictures that are not in the file', async () => {
    const body = `<list list-type="order"><list-item><p>First</p><list list-type="bullet"><list-item><p>Inner</p></list-item></list></list-item><list-item><p>Second</p><p>More</p></list-item></list><disp-quote><p>Quoted</p></disp-quote><fig><label>Fig 1</label><caption><p>A lamp.</p></caption><graphic xlink:href="f1"/></fig>`;
    const { markdown, metadata } = await readXml(article(body));
    expect(markdown).toContain('1. First\n   - Inner\n2. Second\n\n   More\n\n> Quoted\n\n**Fig 1** A lamp.');
    expect(metadata.omissions).toEqual([expect.objectContaining({ kind: 'picture_not_read' })]);
  });
});
