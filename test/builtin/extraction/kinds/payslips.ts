import { amount, text, type Written } from './written.ts';

const ASKED = {
  employee: text('Name of the employee'),
  employer: text('Company that pays the salary'),
  pay_period: text('Month that is paid'),
  gross_pay: amount('Gross salary of the month'),
  income_tax: amount('Income tax withheld'),
  net_pay: amount('Amount paid out'),
  iban: text('Account the salary is paid to'),
};

export const PAYSLIPS: Written[] = [
  {
    name: 'payslip, English',
    page: `Larkfield Foods Ltd
8 Mill Lane, Leeds LS1 4DY

PAYSLIP

Employee: Nora Whitcombe          Employee no: 40718
Pay period: March 2031            Pay date: 28 March 2031
Tax code: 1257L

Description                 Amount
Basic salary              2,900.00
Overtime                    150.00
Gross pay                 3,050.00
Income tax                  401.20
National insurance          180.33
Pension                     120.00
Net pay                   2,348.47

Paid to account GB33BUKB20201555555555`,
    properties: ASKED,
    expected: {
      employee: 'Nora Whitcombe',
      employer: 'Larkfield Foods Ltd',
      pay_period: 'March 2031',
      gross_pay: 3050,
      income_tax: 401.2,
      net_pay: 2348.47,
      iban: 'GB33BUKB20201555555555',
    },
  },
  {
    name: 'payslip, German',
    page: `Brenner Maschinenbau GmbH
Industriestraße 12, 70565 Stuttgart

Entgeltabrechnung März 2031

Mitarbeiter: Jonas Althaus        Personalnummer: 00231
Abrechnungsmonat: März 2031       Steuerklasse: 1

Bezeichnung                Betrag
Grundgehalt              3.800,00
Zulage                     200,00
Gesamtbrutto             4.000,00
Lohnsteuer                 612,50
Rentenversicherung         372,00
Krankenversicherung        328,00
Auszahlungsbetrag        2.687,50

Bankverbindung: IBAN DE89 3704 0044 0532 0130 00`,
    properties: ASKED,
    expected: {
      employee: 'Jonas Althaus',
      employer: 'Brenner Maschinenbau GmbH',
      pay_period: 'März 2031',
      gross_pay: 4000,
      income_tax: 612.5,
      net_pay: 2687.5,
      iban: 'DE89370400440532013000',
    },
  },
  {
    name: 'payslip, Spanish',
    page: `Talleres Ibarra S.L.
Calle Mayor 14, 28013 Madrid

NÓMINA

Trabajador: Lucía Carmona Ruiz       NIF: 12345678Z
Periodo de liquidación: marzo 2031

Concepto                     Importe
Salario base                1.650,00
Plus de transporte             80,00
Total devengado             1.730,00
IRPF                          190,30
Seguridad social              110,72
Líquido a percibir          1.428,98

Cuenta de abono: ES91 2100 0418 4502 0005 1332`,
    properties: ASKED,
    expected: {
      employee: 'Lucía Carmona Ruiz',
      employer: 'Talleres Ibarra S.L.',
      pay_period: 'marzo 2031',
      gross_pay: 1730,
      income_tax: 190.3,
      net_pay: 1428.98,
      iban: 'ES9121000418450200051332',
    },
  },
  {
    name: 'payslip, French',
    page: `Boulangerie Meunier SARL
3 rue des Carmes, 44000 Nantes

BULLETIN DE PAIE

Salarié : Étienne Vasseur          Matricule : 118
Période : mars 2031                Payé le : 31/03/2031

Libellé                      Montant
Salaire de base             2 100,00
Prime                         120,00
Salaire brut                2 220,00
Cotisations                   480,60
Impôt sur le revenu            75,40
Net à payer                 1 664,00

IBAN : FR14 2004 1010 0505 0001 3M02 606`,
    properties: ASKED,
    expected: {
      employee: 'Étienne Vasseur',
      employer: 'Boulangerie Meunier SARL',
      pay_period: 'mars 2031',
      gross_pay: 2220,
      income_tax: 75.4,
      net_pay: 1664,
      iban: 'FR1420041010050500013M02606',
    },
  },
];
