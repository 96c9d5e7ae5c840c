import { amount, count, date, text, type Written } from './written.ts';

/** Documents written after development of the extractor, which was not adapted to them. */
export const OTHERS: Written[] = [
  {
    name: 'bank statement, Italian',
    page: `Banca Popolare del Garda
Via Roma 21, 37121 Verona

ESTRATTO CONTO

Intestatario: Chiara Montanari
IBAN: IT60X0542811101000000123456
Periodo: gennaio 2031

Data          Descrizione                Importo
03/01/2031    Stipendio                 2.150,00
15/01/2031    Affitto                    -700,00

Saldo iniziale: 1.204,50
Saldo finale: 2.654,50`,
    properties: {
      account_holder: text('Who owns the account'),
      iban: text(),
      opening_balance: amount('Balance at the beginning of the period'),
      closing_balance: amount('Balance at the end of the period'),
      bank: text('Name of the bank'),
    },
    expected: {
      account_holder: 'Chiara Montanari',
      iban: 'IT60X0542811101000000123456',
      opening_balance: 1204.5,
      closing_balance: 2654.5,
      bank: 'Banca Popolare del Garda',
    },
  },
  {
    name: 'energy bill, Dutch',
    page: `Energie Noordzee B.V.
Havenkade 3, 1012 AB Amsterdam

JAARAFREKENING

Klantnummer: 553201
Factuurnummer: 2031-0088
Factuurdatum: 14 februari 2031
Meternummer: E-77120
Verbruik: 2.840 kWh
Te betalen: € 612,40
Betalen voor: 1 maart 2031`,
    properties: {
      customer_number: text(),
      invoice_number: text(),
      invoice_date: date(),
      meter_number: text('Number of the meter'),
      consumption: amount('Energy consumption in kWh'),
      amount_due: amount('Amount to pay'),
      due_date: date('Day by which it has to be paid'),
    },
    expected: {
      customer_number: '553201',
      invoice_number: '2031-0088',
      invoice_date: '2031-02-14',
      meter_number: 'E-77120',
      consumption: 2840,
      amount_due: 612.4,
      due_date: '2031-03-01',
    },
  },
  {
    name: 'insurance policy, Spanish',
    page: `Seguros Montblanc S.A.

PÓLIZA DE SEGURO DE VEHÍCULO

Número de póliza: V-90321
Titular: Ignacio Prats Roca
Matrícula: 4471 KLM
Fecha de inicio: 01/03/2031
Fecha de vencimiento: 01/03/2032
Prima anual: 412,80 EUR
Franquicia: 300,00 EUR`,
    properties: {
      policy_number: text(),
      policyholder: text('Person who holds the policy'),
      start_date: date('First day of the insurance'),
      annual_premium: amount('Premium per year'),
      deductible: amount('Amount that the insured pays of each damage'),
    },
    expected: {
      policy_number: 'V-90321',
      policyholder: 'Ignacio Prats Roca',
      start_date: '2031-03-01',
      annual_premium: 412.8,
      deductible: 300,
    },
  },
  {
    name: 'minutes, French',
    page: `Association Les Jardins du Lac

PROCÈS-VERBAL DE L'ASSEMBLÉE GÉNÉRALE

L'assemblée générale s'est tenue le 18 avril 2031 à Annecy. La séance a été présidée par Madeleine Chapuis. Le secrétaire était Bruno Tissot. 42 membres étaient présents.

La cotisation annuelle est fixée à 35,00 euros. La prochaine assemblée aura lieu le 16 avril 2032.`,
    properties: {
      meeting_date: date('Day of the meeting'),
      chair: text('Who chaired the meeting'),
      secretary: text('Who was the secretary'),
      members_present: count('How many members were present'),
      place: text('Where the meeting took place'),
      annual_fee: amount('Fee of a member per year'),
    },
    expected: {
      meeting_date: '2031-04-18',
      chair: 'Madeleine Chapuis',
      secretary: 'Bruno Tissot',
      members_present: 42,
      place: 'Annecy',
      annual_fee: 35,
    },
  },
  {
    name: 'letter of employment, German',
    page: `Optik Sander KG
Bahnhofstraße 40, 01099 Dresden

Dresden, den 3. März 2031

Arbeitsbescheinigung

Hiermit bestätigen wir, dass Herr Tobias Wieland seit dem 1. September 2027 in unserem Unternehmen als Augenoptiker beschäftigt ist. Sein monatliches Bruttogehalt beträgt 3.150,00 Euro. Die wöchentliche Arbeitszeit beträgt 38 Stunden.`,
    properties: {
      employee: text('Name of the employee'),
      employer: text('Name of the employer'),
      employed_since: date('Day on which the employment began'),
      gross_salary: amount('Gross salary per month'),
      weekly_hours: count('Working hours per week'),
      letter_date: date('Date of the letter'),
    },
    expected: {
      employee: 'Tobias Wieland',
      employer: 'Optik Sander KG',
      employed_since: '2027-09-01',
      gross_salary: 3150,
      weekly_hours: 38,
      letter_date: '2031-03-03',
    },
  },
  {
    name: 'loan offer, English',
    page: `Fenwick Savings Bank

LOAN OFFER

Borrower: Priya Ramanathan
Loan number: L-20417
Date of offer: 9 July 2031

We offer to lend you £18,000.00 at a fixed interest rate of 5.4% for 48 months. The first repayment is due on 1 September 2031. You may repay the loan early by giving us 14 days' notice.`,
    properties: {
      borrower: text('Name of the borrower'),
      loan_number: text(),
      loan_amount: amount('Amount that is lent'),
      interest_rate: amount('Interest rate in percent'),
      term: text("How long the loan runs, e.g. '24 months'"),
      first_repayment: date('Day on which the first repayment is due'),
    },
    expected: {
      borrower: 'Priya Ramanathan',
      loan_number: 'L-20417',
      loan_amount: 18000,
      interest_rate: 5.4,
      term: '48 months',
      first_repayment: '2031-09-01',
    },
  },
];
