import type { ParseParameters } from '#src/parse/parameters/parameters.ts';

/** How charts are read: with their page, each on its own, or each on its own and once more to repair it. */
export type ChartReading = 'with the page' | 'alone' | 'alone and repaired';

/** What is asked of a page's pictures. */
export interface PicturesAsked {
  charts: ChartReading | undefined;
  /** Each picture is described. */
  descriptions: boolean;
}

/** The parameters that ask for charts, the most thorough first: where several do, the first one decides. */
const CHARTS: [name: keyof ParseParameters, asks: (parameters: ParseParameters) => unknown, ChartReading][] =
  [
    [
      'specialized_chart_parsing_agentic',
      (parameters) => parameters.specialized_chart_parsing_agentic,
      'alone and repaired',
    ],
    ['specialized_chart_parsing_plus', (parameters) => parameters.specialized_chart_parsing_plus, 'alone'],
    [
      'specialized_chart_parsing_efficient',
      (parameters) => parameters.specialized_chart_parsing_efficient,
      'with the page',
    ],
    ['extract_charts', (parameters) => parameters.extract_charts, 'with the page'],
  ];

export const picturesAsked = (parameters: ParseParameters): PicturesAsked => ({
  charts: CHARTS.find(([, asks]) => asks(parameters))?.[2],
  descriptions: parameters.specialized_image_parsing === true,
});

/** Whether pictures are looked at one by one, beside their page. */
export const looksAtEach = ({ charts, descriptions }: PicturesAsked) =>
  descriptions || charts === 'alone' || charts === 'alone and repaired';

/** Which parameters ask for charts beside another one that decides, and that one. */
export function overruledCharts(parameters: ParseParameters): { names: string[]; by: string | undefined } {
  const [first, ...others] = CHARTS.filter(([, asks]) => asks(parameters)).map(([name]) => name);
  return { names: others, by: first };
}
