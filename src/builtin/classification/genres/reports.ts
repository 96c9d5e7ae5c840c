import { type Genre, words } from './genre.ts';

/** Filings, reports, research and news. */
export const REPORTS: Genre[] = [
  {
    id: 'form_10k',
    rule: /\b(10 ?k|annual report|jaarverslag|geschaeftsbericht|rapport annuel)\b/,
    cues: [
      [/\bform\s{0,4}10\s{0,4}[-‐–—]?\s{0,4}k\b/i, 3],
      [
        words(
          'annual report(?: pursuant to section 13)?|for the fiscal year ended|geschäftsbericht|jaarverslag|rapport annuel',
        ),
        1.8,
      ],
      [
        words(
          'risk factors|unresolved staff comments|legal proceedings|item 1a|item 7|selected financial data|report of independent registered public accounting firm',
        ),
        0.8,
      ],
    ],
  },
  {
    id: 'form_10q',
    rule: /\b(10 ?q|quarterly report)\b/,
    cues: [
      [/\bform\s{0,4}10\s{0,4}[-‐–—]?\s{0,4}q\b/i, 3],
      [words('quarterly report(?: pursuant to section 13)?|for the quarterly period ended'), 2.2],
      [words('unaudited|condensed consolidated|three months ended|controls and procedures'), 0.6],
    ],
  },
  {
    id: 'form_8k',
    rule: /\b(8 ?k|current report)\b/,
    cues: [
      [/\bform\s{0,4}8\s{0,4}[-‐–—]?\s{0,4}k\b/i, 3],
      [
        words(
          'current report(?: pursuant to section 13)?|date of report(?: \\(date of earliest event reported\\))?',
        ),
        2.2,
      ],
      [/\bitem\s+\d\.\d{2}\b/i, 1.2],
      [words('emerging growth company|written communications pursuant to rule 425|soliciting material'), 0.5],
    ],
  },
  {
    id: 'earnings_release',
    rule: /\b(earnings|results release|quarterly results)\b/,
    cues: [
      [
        words(
          '(?:announces|reports|reported|announced) (?:\\p{L}+ ){0,4}(?:results|earnings)|(?:first|second|third|fourth)[- ]quarter(?: and full[- ]year)?(?: fiscal)?(?: \\d{4})? (?:financial )?results|q[1-4](?: fy ?\\d{2,4}| \\d{4})? (?:results|earnings)',
        ),
        2.5,
      ],
      [
        words(
          'earnings (?:per share|release|call)|conference call|webcast|outlook|guidance|non-gaap|year-over-year|highlights|investor relations',
        ),
        0.9,
      ],
      [
        words(
          'press release|chief executive officer|ceo|cfo|forward-looking statements|operating income|net sales|revenue',
        ),
        0.5,
      ],
    ],
  },
  {
    id: 'scientific_paper',
    rule: /\b(scientific|scholarly|papers?|research (paper|article)|publications?|journal article|thesis)\b/,
    cues: [
      [words('abstract|résumé|zusammenfassung|samenvatting|streszczenie'), 1.3],
      [words('references|bibliography|bibliographie|literatur'), 0.9],
      [words('doi|arxiv|proceedings of|journal of|issn|conference on|workshop on'), 1.2],
      [/\b\d{1,3} \(\d{4}\) \d{1,5}[-–]\d{1,5}\b|\bvol(?:ume|\.) ?\d+/i, 1.2],
      [words('et al\\.?'), 0.6],
      [
        words(
          'introduction|related work|methods?|materials and methods|discussion|conclusions?|experiments?|keywords|mots[- ]clés',
        ),
        0.8,
      ],
      [/\[\d{1,3}(?:, ?\d{1,3})*\]|\(\p{Lu}\p{L}+(?: et al\.?,?| and \p{Lu}\p{L}+,?|,) \d{4}\)/u, 0.8],
      [
        words(
          'we (?:also )?(?:propose|present|show|describe|report|investigated?|found|demonstrate|demonstrated|introduce|examined|identified|analy[sz]ed)|in this (?:paper|article|study|work)|here,? we|(?:our|these) (?:results|findings|data)|results (?:show|suggest|indicate)|dans cet article',
        ),
        1.8,
      ],
      [
        words(
          'p ?[<=≤] ?0?\\.\\d+|95% ci|confidence interval|statistically significant|in vitro|in vivo|hypothesis|correlation|state of the art|baseline|dataset|cohort|mice|specimens?|proteins?|mechanisms?',
        ),
        1.2,
      ],
      [words('fig(?:ure|s?\\.)? ?\\d+|table \\d+|eq\\. ?\\(?\\d+'), 0.7],
      [words('universit\\p{L}+|department of|institute of|laborator\\p{L}+'), 0.5],
    ],
  },
  {
    id: 'clinical_protocol',
    rule: /\b(clinical (study|trial)|trial protocol|study protocol)\b/,
    cues: [
      [
        words(
          '(?:clinical |study |trial )protocol|protocol (?:number|version|title|amendment|no\\.?|id)|statistical analysis plan|research proposal',
        ),
        2.2,
      ],
      [/\bNCT\d{8}\b|clinicaltrials\.gov/i, 1.3],
      [words('principal investigator|co-?investigators?|study sponsor|sponsor|study site'), 1.3],
      [words('(?:inclusion|exclusion|eligibility) criteria'), 1.5],
      [
        words(
          'informed consent|ethics committee|institutional review board|irb|declaration of helsinki|good clinical practice',
        ),
        1.2,
      ],
      [
        words(
          'will be (?:randomly |randomi[sz]ed|assigned|recruited|collected|performed|measured|treated|enrolled|included|selected|obtained|informed|evaluated|assessed|asked)|aim of (?:the|this) study|sample size|study design',
        ),
        1.3,
      ],
      [
        words(
          'adverse events?|randomi[sz]ation|placebo|primary (?:outcome|endpoint|end point)s?|secondary (?:outcome|endpoint|end point)s?|follow-up visits?|participants?',
        ),
        1.1,
      ],
    ],
  },
  {
    id: 'accident_report',
    rule: /\b(accidents?|incidents?|investigation|crash)\b/,
    cues: [
      [
        words(
          'accident (?:final |factual |investigation )?report|aviation accident|accident number|accident investigation|unfallbericht|rapport d.accident|ongevalsrapport',
        ),
        2.5,
      ],
      [
        words(
          'probable cause|national transportation safety board|ntsb|injuries|fatal|aircraft damage|pilot|wreckage|serious injur\\p{L}+',
        ),
        1,
      ],
    ],
  },
  {
    id: 'medical_record',
    rule: /\b(medical|patients?|discharge|laboratory|prescription|health record)\b/,
    cues: [
      [
        words(
          'patient|diagnosis|medications?|allergies|discharge summary|history of present illness|physician|blood pressure|prescription|dosage|lab results',
        ),
        1,
      ],
    ],
  },
  {
    id: 'news',
    rule: /\b(news|newspaper|press article|broadcast\w*)\b/,
    cues: [
      [
        words(
          'reuters|associated press|afp|bbc|dpa|correspondent|reporter|breaking news|spokes(?:man|woman|person)',
        ),
        1.5,
      ],
      [
        words(
          'said|told|according to|added|announced|minister|police|government|yesterday|on (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|sagte|a déclaré',
        ),
        0.8,
      ],
      [words('mr|mrs|ms|prime minister|president|election|party|season|match|coach|film|shares|market'), 0.4],
    ],
  },
];
