import type { XmlElement } from '#src/text-formats/xml.ts';
import { elements } from '#src/text-formats/xml.ts';
import { findAll, findChild, localName, readLine } from '../../tree/build.ts';

/** Maximum length in characters of a description. Every fact of a context repeats its description. */
const MAX_DESCRIPTION = 400;

export interface FactContext {
  entity: string;
  /** Period of the fact, followed by its dimensions. */
  description: string;
}

function describePeriod(period: XmlElement | undefined): string {
  const [instant, start, end] = ['instant', 'startDate', 'endDate'].map((name) =>
    readLine(findChild(period, name)),
  );
  if (instant) return instant;
  return start || end ? `${start} to ${end}` : 'forever';
}

function describeDimensions(context: XmlElement): string {
  const members = findAll(context, 'explicitMember', 'typedMember').map((member) => {
    const axis = localName(member.attributes.dimension ?? '');
    const value = localName(member.name) === 'typedMember' ? readLine(member) : localName(readLine(member));
    return axis === '' ? value : `${axis}: ${value}`;
  });
  return members.join(', ');
}

/** Reads the periods and dimensions that facts refer to, by the id of their context. */
export function readContexts(root: XmlElement): Map<string, FactContext> {
  const contexts = new Map<string, FactContext>();
  for (const context of findAll(root, 'context')) {
    const period = describePeriod(findChild(context, 'period'));
    const dimensions = describeDimensions(context);
    contexts.set(context.attributes.id ?? '', {
      entity: readLine(findChild(context, 'entity', 'identifier')),
      description: (dimensions === '' ? period : `${period} (${dimensions})`).slice(0, MAX_DESCRIPTION),
    });
  }
  return contexts;
}

/** Reads the units that facts refer to, by id. A ratio is written with a slash. */
export function readUnits(root: XmlElement): Map<string, string> {
  const units = new Map<string, string>();
  for (const unit of findAll(root, 'unit')) {
    const divide = findChild(unit, 'divide');
    const read = (parent: XmlElement | undefined) =>
      elements(parent)
        .filter(({ name }) => localName(name) === 'measure')
        .map((measure) => localName(readLine(measure)))
        .join('·');
    const ratio = [findChild(divide, 'unitNumerator'), findChild(divide, 'unitDenominator')]
      .map(read)
      .join('/');
    units.set(unit.attributes.id ?? '', (divide ? ratio : read(unit)).slice(0, MAX_DESCRIPTION));
  }
  return units;
}
