import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { withPreset } from './presets.ts';

/** How a page comes to be read; docs/parsing-with-models.md says what each one does. */
export type Mode = 'text' | 'layout' | 'corrected' | 'vision' | 'agentic' | 'document';

export interface Plan {
  mode: Mode;
  /** The parameter that chose the mode; undefined: none did. */
  chosenBy: string | undefined;
  /** The model is shown the page's picture. */
  sees: boolean;
  /** A second pass repairs what the first one got wrong. */
  repairs: boolean;
  /** The model is shown what stands on the pages before and after. */
  neighbours: boolean;
  /** Only pages that a trigger applies to are read so; the parser alone reads the others. */
  isTriggered: boolean;
  /** What parameters call the model; undefined: the project's or the installation's one for parsing. */
  modelName: string | undefined;
  /** Parameters that ask for another mode than the one that was chosen. */
  overruled: string[];
}

type Way = Pick<Plan, 'mode' | 'sees' | 'repairs' | 'neighbours'>;

const way = (mode: Mode, further: Partial<Way> = {}): Way => ({
  ...{ mode, sees: false, repairs: false, neighbours: false },
  ...further,
});
const TEXT = way('text');
const LAYOUT = way('layout');
const CORRECTED = way('corrected');
const VISION = way('vision', { sees: true });
const AGENTIC = way('agentic', { sees: true, repairs: true });
const DOCUMENT = way('document', { neighbours: true });

const PARSE_MODES: Record<NonNullable<ParseParameters['parse_mode']>, Way> = {
  parse_page_without_llm: LAYOUT,
  parse_page_with_llm: CORRECTED,
  parse_page_with_lvm: VISION,
  parse_page_with_agent: AGENTIC,
  parse_page_with_layout_agent: AGENTIC,
  parse_document_with_llm: DOCUMENT,
  parse_document_with_lvm: { ...DOCUMENT, sees: true },
  parse_document_with_agent: { ...DOCUMENT, sees: true, repairs: true },
};

const TIERS: Record<string, Way> = {
  fast: TEXT,
  cost_effective: CORRECTED,
  agentic: AGENTIC,
  agentic_plus: { ...DOCUMENT, sees: true, repairs: true },
};

/** What chooses a mode; where several do, the first one decides. */
const CHOOSING: [name: keyof ParseParameters, choose: (parameters: ParseParameters) => Way | undefined][] = [
  ['parse_mode', (parameters) => (parameters.parse_mode ? PARSE_MODES[parameters.parse_mode] : undefined)],
  ['tier', (parameters) => (isTier(parameters.tier) ? TIERS[parameters.tier] : undefined)],
  ['fast_mode', (parameters) => (parameters.fast_mode ? TEXT : undefined)],
  ['premium_mode', (parameters) => (parameters.premium_mode ? AGENTIC : undefined)],
  [
    'use_vendor_multimodal_model',
    (parameters) => (parameters.use_vendor_multimodal_model ? VISION : undefined),
  ],
  ['premium_llm_mode', (parameters) => (parameters.premium_llm_mode ? VISION : undefined)],
  ['continuous_mode', (parameters) => (parameters.continuous_mode ? DOCUMENT : undefined)],
];

export const isTier = (tier: string | null | undefined): tier is string =>
  typeof tier === 'string' && Object.hasOwn(TIERS, tier);

/** How the parameters ask for pages to be read. */
export function planOf(given: ParseParameters): Plan {
  const parameters = withPreset(given);
  const asked = CHOOSING.flatMap(([name, choose]) => {
    const chosen = choose(parameters);
    return chosen ? [{ name, chosen }] : [];
  });
  const isTriggered = parameters.auto_mode === true;
  const able = isTriggered ? asked.filter(({ chosen }) => needsModel(chosen)) : asked;
  const first = able[0] ?? (isTriggered ? { name: 'auto_mode', chosen: AGENTIC } : undefined);
  // With triggers the parser's layout is what pages begin with.
  const others = asked.filter((each) => each !== first && !(isTriggered && each.chosen === LAYOUT));
  const overruled = others.filter(({ chosen }) => chosen !== first!.chosen).map(({ name }) => name);
  const chosen = first?.chosen ?? LAYOUT;
  const vendorName = chosen.sees ? parameters.vendor_multimodal_model_name : undefined;
  const modelName = parameters.model || vendorName || undefined;
  const isOfPreset = first?.name === 'parse_mode' && !given.parse_mode;
  return {
    ...chosen,
    chosenBy: isOfPreset ? 'preset' : first?.name,
    ...{ isTriggered, modelName, overruled },
  };
}

export const needsModel = ({ mode }: Pick<Plan, 'mode'>) => mode !== 'text' && mode !== 'layout';
