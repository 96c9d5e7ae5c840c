import { isOfReading, type PageRule } from '#src/parse/page-rules.ts';
import { versionNames } from '#src/parse/versions.ts';
import { elementNamed } from './rules.ts';

/** Members of rules that change nothing, by their path in the rules. */
export function ruleWarnings(rules: readonly PageRule[]): { at: string; reason: string }[] {
  return rules.flatMap((rule, place) => {
    const { parsing_conf: conf, layout_element_in_page: element } = rule;
    const found = Object.entries(conf).flatMap(([name, value]) => {
      if (isOfReading(name) || value === null || value === false) return [];
      return [
        [`parsing_conf.${name}`, 'All pages are laid out alike; a rule decides how a model reads them.'],
      ];
    });
    const { version } = conf;
    if (version && !versionNames().includes(version)) {
      found.push([
        'parsing_conf.version',
        `There is no such version; they are: ${versionNames().join(', ')}.`,
      ]);
    }
    for (const name of ['page_contains_at_least_n_charts', 'page_contains_at_most_n_charts'] as const) {
      if (rule[name] != null) found.push([name, 'It never holds: charts are not told from other pictures.']);
    }
    if (element && !elementNamed(element)) {
      found.push(['layout_element_in_page', 'It never holds: pages have no elements of this kind.']);
    }
    const least = 'layout_element_in_page_confidence_threshold';
    if (rule[least] != null) found.push([least, 'Elements are found or not; nobody says how surely.']);
    return found.map(([name, reason]) => ({ at: `${place}.${name}`, reason: reason! }));
  });
}
