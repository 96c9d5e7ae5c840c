import { flag } from './define.ts';

export const spreadsheetParameters = {
  guess_xlsx_sheet_name: flag({
    description: 'Spreadsheets: names a sheet with a default name after its title row.',
  }),
  spreadsheet_extract_sub_tables: flag({
    default: 'split at empty rows',
    description:
      'Spreadsheets: `true` splits a sheet into tables at empty rows and columns, `false` does not split it. If absent, a sheet is split at empty rows.',
  }),
  spreadsheet_force_formula_computation: flag({
    description:
      'Spreadsheets: computes formulas and shows their results. The `metadata` of a job says for each sheet how many formulas were computed, where a result differs from the stored one, and which formulas kept their stored result because they cannot be computed (unknown or volatile functions, references to other files, circular references). Otherwise only formulas without a stored result are computed. A workbook with more than 30,000 formulas keeps its stored results.',
  }),
  spreadsheet_include_hidden_sheets: flag({ description: 'Spreadsheets: reads hidden sheets too.' }),
};
