import { describe, expect, it } from 'vitest';
import type { StoredPage } from '#src/documents/page-store.ts';
import { findRuleErrors, parsePageRules } from '#src/parse/parameters/page-rules.ts';
import { choosePagePlan, planPages } from '#src/reading/plan/page-plan.ts';
import { findRule } from '#src/reading/plan/rules.ts';
import { findRuleWarnings } from '#src/reading/plan/warnings.ts';
import { block, createPage, figure } from '../page.ts';

const parseRules = (...rules: object[]) =>
  parsePageRules(JSON.stringify(rules.map((rule) => ({ parsing_conf: {}, ...rule }))));
const applies = (rule: object, page: StoredPage, name = 'Invoice 7.pdf') =>
  findRule(page, name, parseRules(rule)) !== undefined;

const PLAIN = createPage('The quay of 1931\nends at pier 14.');
const TABLE = createPage('Cargo', { blocks: [block('heading'), block('table')] });
const PICTURE = createPage('From above', { figures: [figure(300, 300)] });
const SCAN = createPage('', { figures: [figure(590, 790)], needsOcr: true });

describe('the condition of a rule', () => {
  it.each<[object, StoredPage, StoredPage]>([
    [{ text_in_page: 'QUAY' }, PLAIN, TABLE],
    [{ regexp_in_page: 'pier \\d+' }, PLAIN, TABLE],
    [{ regexp_in_page: '^ends AT', regexp_in_page_mode: 'gim' }, PLAIN, TABLE],
    [{ table_in_page: true }, TABLE, PLAIN],
    [{ image_in_page: true }, PICTURE, SCAN],
    [{ full_page_image_in_page: true }, SCAN, PICTURE],
    [{ full_page_image_in_page: true, full_page_image_in_page_threshold: '0.1' }, PICTURE, PLAIN],
    [{ layout_element_in_page: 'section-header' }, TABLE, PLAIN],
    [{ page_md_error: true }, SCAN, PLAIN],
    [{ page_longer_than_n_chars: '20' }, PLAIN, TABLE],
    [{ page_shorter_than_n_chars: 10 }, TABLE, PLAIN],
    [{ page_contains_at_least_n_tables: 1 }, TABLE, PLAIN],
    [{ page_contains_at_most_n_tables: 0 }, PLAIN, TABLE],
    [{ page_contains_at_least_n_images: 1 }, PICTURE, PLAIN],
    [{ page_contains_at_least_n_lines: 2 }, PLAIN, TABLE],
    [{ page_contains_at_least_n_words: 6 }, PLAIN, TABLE],
    [{ page_contains_at_least_n_numbers: 1 }, PLAIN, TABLE],
    [{ page_contains_at_least_n_percent_numbers: 12 }, PLAIN, TABLE],
    [{ page_contains_at_most_n_percent_numbers: 10 }, TABLE, PLAIN],
    [{ page_contains_at_least_n_layout_elements: 2 }, TABLE, PLAIN],
    [
      { page_contains_at_least_n_links: 1 },
      createPage('a', { links: [{ text: 'a', url: 'https://a.example' }] }),
      PLAIN,
    ],
  ])('%j matches the first page and not the second', (rule, one, other) => {
    expect([applies(rule, one), applies(rule, other)]).toEqual([true, false]);
  });

  it.each<[object, boolean]>([
    [{ filename_regexp: 'invoice.*\\.pdf' }, false],
    [{ filename_regexp: 'invoice.*\\.pdf', filename_regexp_mode: 'i' }, true],
    [{ filename_match_glob: 'invoice ?.pdf' }, true],
    [{ filename_match_glob: '*.docx' }, false],
    [{ filename_match_glob: 'voice ?.pdf' }, false],
    [{ filename_match_glob: 'Invoice ?' }, false],
    [{ filename_match_glob_list: ['*.docx', 'I*.p(f'] }, false],
    [{ filename_match_glob_list: ['*.docx', 'I*.pdf'] }, true],
  ])('on the file name, %j, matches: %s', (rule, expected) => {
    expect(applies(rule, PLAIN)).toBe(expected);
  });

  it('on a length excludes that length itself', () => {
    const page = createPage('ten of them'.slice(0, 10));
    expect(applies({ page_longer_than_n_chars: 10 }, page)).toBe(false);
    expect(applies({ page_shorter_than_n_chars: 10 }, page)).toBe(false);
  });

  it('on a number of charts never matches', () => {
    expect(applies({ page_contains_at_least_n_charts: 0 }, PICTURE)).toBe(false);
    expect(applies({ page_contains_at_most_n_charts: 9 }, PICTURE)).toBe(false);
  });
});

describe('page rules', () => {
  it('need all conditions to match, or any with trigger_mode "or"', () => {
    const rule = { table_in_page: true, text_in_page: 'Cargo' };
    expect(applies(rule, TABLE)).toBe(true);
    expect(applies({ ...rule, text_in_page: 'quay' }, TABLE)).toBe(false);
    expect(applies({ ...rule, text_in_page: 'quay', trigger_mode: 'or' }, TABLE)).toBe(true);
  });

  it('match every page if they have no condition, with any trigger_mode', () => {
    expect(applies({ trigger_mode: 'or' }, PLAIN)).toBe(true);
    expect(applies({ trigger_mode: 'or', table_in_page: false, text_in_page: '' }, PLAIN)).toBe(true);
  });

  it('apply in order, and a last rule without conditions matches the remaining pages', () => {
    const rules = parseRules({ table_in_page: true }, { text_in_page: 'Cargo' }, {});
    expect(findRule(TABLE, '', rules)).toEqual({
      at: 0,
      reason: 'rule 1 of auto_mode_configuration_json: table_in_page.',
    });
    expect(findRule(PLAIN, '', rules)!.at).toBe(2);
  });

  it.each<[unknown, string, RegExp]>([
    [{}, '', /array/],
    [[{}], '0.parsing_conf', /object/],
    [[{ parsing_conf: {}, tabel_in_page: true }], '0', /tabel_in_page/],
    [[{ parsing_conf: { tier: 'golden' } }], '0.parsing_conf.tier', /fast/],
    [[{ parsing_conf: {}, regexp_in_page: '(a' }], '0.regexp_in_page', /./],
    [[{ parsing_conf: {} }, { parsing_conf: {}, filename_regexp: '(?=a)' }], '1.filename_regexp', /support/],
    [[{ parsing_conf: {}, page_longer_than_n_chars: 'many' }], '0.page_longer_than_n_chars', /./],
    [[{ parsing_conf: { custom_prompt: 'x'.repeat(20_001) } }], '0.parsing_conf.custom_prompt', /20000/],
    [Array.from({ length: 51 }, () => ({ parsing_conf: {} })), '', /50/],
    [Array.from({ length: 11 }, () => ({ parsing_conf: {}, regexp_in_page: 'a' })), '', /10/],
  ])('are rejected with the path of the error: %#', (rules, path, message) => {
    const [issue] = findRuleErrors(JSON.stringify(rules));
    expect(issue!.path.join('.')).toBe(path);
    expect(issue!.message).toMatch(message);
  });

  it('cause warnings for options without effect', () => {
    const rules = parseRules({
      parsing_conf: { tier: 'agentic', high_res_ocr: true, version: '1999-01-01' },
      page_contains_at_least_n_charts: 1,
      layout_element_in_page: 'stamp',
    });
    expect(findRuleWarnings(rules).map(({ at }) => at)).toEqual([
      '0.parsing_conf.high_res_ocr',
      '0.parsing_conf.version',
      '0.page_contains_at_least_n_charts',
      '0.layout_element_in_page',
    ]);
  });
});

describe('the plan of a page', () => {
  const json = (...rules: object[]) => ({ auto_mode_configuration_json: JSON.stringify(rules) });

  it('comes from the matching rule, and otherwise from the parameters', () => {
    const rule = { table_in_page: true, parsing_conf: { tier: 'cost_effective', custom_prompt: 'Sum up.' } };
    const ways = planPages({ parse_mode: 'parse_page_with_lvm', system_prompt: 'Read.', ...json(rule) });
    const [own] = ways.rulePlans;
    expect(own!.readingPlan).toMatchObject({ mode: 'corrected', chosenBy: 'tier' });
    expect(own!.parameters).toMatchObject({ user_prompt: 'Sum up.', system_prompt: 'Read.' });
    expect(choosePagePlan(TABLE, '', ways)).toMatchObject({ rule: 0, usesModel: true });
    expect(choosePagePlan(PLAIN, '', ways)).toEqual({ usesModel: true, reason: 'parse_mode asks for it.' });
  });

  it('uses only the parser if no rule matches and nothing else asks for a model', () => {
    const ways = planPages(json({ table_in_page: true, parsing_conf: {} }));
    expect(ways.rulePlans[0]!.readingPlan.mode).toBe('agentic');
    expect(choosePagePlan(PLAIN, '', ways).usesModel).toBe(false);
  });

  it('uses only the parser if the matching rule says so', () => {
    const rule = { text_in_page: 'quay', parsing_conf: { parse_mode: 'parse_page_without_llm' } };
    const ways = planPages({ parse_mode: 'parse_page_with_lvm', ...json(rule) });
    expect(choosePagePlan(PLAIN, '', ways)).toMatchObject({ rule: 0, usesModel: false });
  });

  it.each<[string, StoredPage, boolean]>([
    ['plain text', PLAIN, false],
    ['a table', TABLE, true],
    ['a picture', PICTURE, true],
    ['a logo', createPage('a', { figures: [figure(9, 9, true)] }), false],
    [
      'columns',
      createPage('a b', {
        blocks: [block('paragraph', 50, 72, 200, 400), block('paragraph', 300, 90, 200, 300)],
      }),
      true,
    ],
    [
      'paragraphs below each other',
      createPage('a b', { blocks: [block('heading', 50, 72, 90), block('paragraph', 200, 95, 300)] }),
      false,
    ],
    [
      'a line that reaches a little into the next one',
      createPage('a b', { blocks: [block('heading', 50, 72, 90), block('paragraph', 200, 88, 300)] }),
      false,
    ],
    ['code', createPage('a', { blocks: [block('code')] }), true],
    ['what OCR read', createPage('a', { ocr: { confidence: 1 } }), true],
    ['letters that nobody knows', createPage('a \uE012'), true],
    ['nothing', createPage(''), true],
  ])('with enable_cost_optimizer depends on the page: %s', (_, page, isOfModel) => {
    const ways = planPages({ tier: 'agentic', enable_cost_optimizer: true });
    const choice = choosePagePlan(page, '', ways);
    expect(choice.usesModel).toBe(isOfModel);
    expect(choice.reason.startsWith('enable_cost_optimizer')).toBe(!isOfModel);
  });
});
