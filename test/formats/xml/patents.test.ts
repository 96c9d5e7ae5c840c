import { describe, expect, it } from 'vitest';
import { readXml } from './read-xml.ts';

const grant = (parts: string) =>
  `<!DOCTYPE us-patent-grant SYSTEM "us-patent-grant-v44-2013-05-16.dtd" [ ]><us-patent-grant lang="EN"><us-bibliographic-data-grant><publication-reference><document-id><country>US</country><doc-number>01234567</doc-number><kind>B2</kind><date>20140318</date></document-id></publication-reference><invention-title>Lamp</invention-title><us-parties><inventors><inventor><addressbook><last-name>Moss</last-name><first-name>Ada</first-name><address><city>Port</city><country>NO</country></address></addressbook></inventor></inventors></us-parties></us-bibliographic-data-grant>${parts}</us-patent-grant>`;

describe('patents', () => {
  it('begin with title, bibliographic data and abstract', async () => {
    const { markdown, metadata } = await readXml(
      grant('<abstract><p>A lamp for CO<sub>2</sub>.</p></abstract>'),
    );
    expect(markdown).toBe(
      '# Lamp\n\n- **Publication:** US 01234567 B2 (2014-03-18)\n- **Inventors:** Ada Moss (Port, NO)\n\n## Abstract\n\nA lamp for CO<sub>2</sub>.',
    );
    expect(metadata).toMatchObject({ title: 'Lamp', author: 'Ada Moss', language: 'en' });
  });

  it('write claims as a numbered list with nested parts', async () => {
    const { markdown } = await readXml(
      grant(
        '<us-claim-statement>I claim:</us-claim-statement><claims><claim num="00001"><claim-text><b>1</b>. A lamp comprising:<claim-text>a wick; and</claim-text><claim-text>oil.</claim-text></claim-text></claim><claim num="00002"><claim-text><b>2</b>. The lamp of <claim-ref idref="c1">claim 1</claim-ref>, burning 10 hours.</claim-text></claim></claims>',
      ),
    );
    expect(markdown).toContain(
      '## Claims\n\nI claim:\n\n1. A lamp comprising:\n   - a wick; and\n   - oil.\n2. The lamp of claim 1, burning 10 hours.',
    );
  });

  it('write headings by their level and leave numbers of parts plain', async () => {
    const { markdown } = await readXml(
      grant(
        '<description><heading level="1">FIELD</heading><p>The lamp <b>12</b> is <b>new</b>.</p><heading level="2">Oil</heading><p>More.</p></description>',
      ),
    );
    expect(markdown).toContain('## Description\n\n### FIELD\n\nThe lamp 12 is **new**.\n\n#### Oil\n\nMore.');
  });

  it('align the column groups of a table, join the lines of its header, and take out title and notes', async () => {
    const columns = (...widths: number[]) =>
      widths.map((width, at) => `<colspec colname="${at + 1}" colwidth="${width}pt"/>`).join('');
    const rule = (cells: number) =>
      `<row><entry namest="1" nameend="${cells}" align="center" rowsep="1"/></row>`;
    const table = `<tables><table><tgroup cols="2">${columns(100, 200)}<thead><row><entry namest="1" nameend="2" rowsep="1">TABLE 1</entry></row></thead><tbody>${rule(2)}<row><entry/><entry>Height</entry></row></tbody></tgroup><tgroup cols="3">${columns(100, 100, 100)}<tbody><row><entry>Port</entry><entry>low</entry><entry>high</entry></row>${rule(3)}<row><entry>North</entry><entry>1</entry><entry>2</entry></row>${rule(3)}<row><entry namest="1" nameend="3">in metres</entry></row></tbody></tgroup></table></tables>`;
    const { markdown } = await readXml(grant(`<description><p>See:${table}</p></description>`));
    expect(markdown).toContain(
      'TABLE 1\n\n| Port  | Height low | high |\n| ----- | ---------- | ---- |\n| North | 1          | 2    |\n\nin metres',
    );
  });

  it('read applications in the format of 2001, with ISO entities and MathML', async () => {
    const { markdown } = await readXml(
      '<!DOCTYPE patent-application-publication SYSTEM "pap-v15-2001-01-31.dtd" [<!ENTITY D1.TIF SYSTEM "D1.TIF" NDATA TIF>]><patent-application-publication><subdoc-bibliographic-information><technical-information><title-of-invention>Oil</title-of-invention></technical-information></subdoc-bibliographic-information><subdoc-description><detailed-description><section><heading lvl="1">EXAMPLE 1</heading><paragraph><number>&lsqb;0001&rsqb;</number> Use 3 &mgr;l of EC<highlight><subscript>50</subscript></highlight>.<math-cwu><number>1</number><math><mfrac><mi>a</mi><mi>b</mi></mfrac></math></math-cwu></paragraph></section></detailed-description></subdoc-description><subdoc-claims><claim id="CLM-00001"><claim-text><highlight><bold>1</bold></highlight>. Oil of <dependent-claim-reference><claim-text>claim 9</claim-text></dependent-claim-reference>.</claim-text></claim></subdoc-claims></patent-application-publication>',
    );
    expect(markdown).toContain('### EXAMPLE 1\n\n[0001] Use 3 μl of EC<sub>50</sub>.');
    expect(markdown).toContain('\\frac{a}{b}');
    expect(markdown).toContain('1. Oil of claim 9.');
    expect(markdown).not.toContain('&lsqb;');
  });

  it('read grants in the format ST.32', async () => {
    const { markdown } = await readXml(
      '<PATDOC DTD="2.5"><SDOBI><B100><B110><DNUM><PDAT>06000001</PDAT></DNUM></B110><B190><PDAT>US</PDAT></B190></B100><B500><B540><STEXT><PDAT>Code</PDAT></STEXT></B540></B500></SDOBI><SDODE><DETDESC><BTEXT><H LVL="1"><STEXT><PDAT>FIELD</PDAT></STEXT></H><PARA><PTEXT><PDAT>An N</PDAT><HIL><SB><PDAT>1</PDAT></SB></HIL><PDAT> array of &agr;.</PDAT></PTEXT></PARA></BTEXT></DETDESC></SDODE><SDOCL><CL><CLM ID="CLM-00001"><PARA><PTEXT><PDAT>1. A method of</PDAT></PTEXT></PARA><CLMSTEP LVL="2"><PTEXT><PDAT>storing</PDAT></PTEXT></CLMSTEP></CLM></CL></SDOCL></PATDOC>',
    );
    expect(markdown).toBe(
      '# Code\n\n- **Publication:** US 06000001\n\n## Description\n\n### FIELD\n\nAn N<sub>1</sub> array of α.\n\n## Claims\n\n1. A method of\n   - storing',
    );
  });
});
