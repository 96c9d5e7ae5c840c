import { type Genre, words } from './genre.ts';

/** Documents known by their form as much as by their words. */
export const FORMATS: Genre[] = [
  {
    id: 'slides',
    rule: /\b(slides?|presentations?|decks?)\b/,
    extensions: ['pptx', 'ppt', 'odp', 'key'],
    cues: [
      [
        words(
          'agenda|overview|questions\\?|thank you|q&a|outline|slide \\d+|click to (?:add|edit)|vielen dank',
        ),
        0.6,
      ],
    ],
  },
  {
    id: 'data_table',
    rule: /\b(spreadsheets?|data tables?|csv|dataset|data sheet|rows and columns)\b/,
    extensions: ['csv', 'tsv', 'xls', 'xlsx', 'ods'],
    cues: [],
  },
  {
    id: 'software_documentation',
    rule: /\b(software|readme|documentation|api reference|user manual|developer)\b/,
    extensions: ['md', 'rst', 'adoc'],
    cues: [
      [
        words(
          'npm (?:install|i|run)|pip install|git clone|brew install|apt(?:-get)? install|docker (?:run|build)|cargo (?:add|install)|conda install',
        ),
        2,
      ],
      [
        words(
          'readme|installation|getting started|usage|contributing|changelog|quick ?start|api reference|command[- ]line|build status',
        ),
        1.2,
      ],
      [/```|^[ \t\u00a0]*(?:\$ |>>> |import \w+|from \w+ import|def \w+\(|const \w+ =|#include)/m, 1],
      [/github\.com\/[\w-]+\/[\w.-]+|\b(?:mit|apache|bsd|gpl) licen[sc]e/i, 0.8],
    ],
  },
];
