import { count, date, text, type Written } from './written.ts';

const ASKED = {
  holder: text('Full name of the person who attended the course'),
  course: text('Title of the course'),
  issued_on: date('Day on which the certificate was issued'),
  hours: count('How many hours the course took'),
  place: text('City where the certificate was issued'),
  certificate_number: text(),
};

export const CERTIFICATES: Written[] = [
  {
    name: 'certificate, English',
    page: `Harrow Institute of Trades

CERTIFICATE OF COMPLETION

This is to certify that Imogen Farrow has attended the course "Safe Use of Ladders", which took 16 hours, and has passed the final test.

Certificate number: HIT-2031-0417
Bristol, 12 May 2031`,
    properties: ASKED,
    expected: {
      holder: 'Imogen Farrow',
      course: 'Safe Use of Ladders',
      issued_on: '2031-05-12',
      hours: 16,
      place: 'Bristol',
      certificate_number: 'HIT-2031-0417',
    },
  },
  {
    name: 'certificate, German',
    page: `Akademie für Handwerk Nord e.V.

ZERTIFIKAT

Frau Friederike Lohmann hat an dem Kurs „Schweißen für Einsteiger“ teilgenommen. Der Kurs dauerte 24 Stunden.

Zertifikatsnummer: AH-3391
Kiel, den 12. Mai 2031`,
    properties: ASKED,
    expected: {
      holder: 'Friederike Lohmann',
      course: 'Schweißen für Einsteiger',
      issued_on: '2031-05-12',
      hours: 24,
      place: 'Kiel',
      certificate_number: 'AH-3391',
    },
  },
  {
    name: 'certificate, Spanish',
    page: `Instituto de Formación Levante

CERTIFICADO DE ASISTENCIA

Se certifica que Marina Solís Vega ha asistido al curso «Primeros auxilios en el trabajo», con una duración de 20 horas.

Número de certificado: IFL-0092
Valencia, 12 de mayo de 2031`,
    properties: ASKED,
    expected: {
      holder: 'Marina Solís Vega',
      course: 'Primeros auxilios en el trabajo',
      issued_on: '2031-05-12',
      hours: 20,
      place: 'Valencia',
      certificate_number: 'IFL-0092',
    },
  },
  {
    name: 'certificate, French',
    page: `Centre de Formation Armor

ATTESTATION DE FORMATION

Nous attestons que Camille Le Goff a suivi la formation « Sécurité sur les chantiers », d'une durée de 14 heures.

Numéro d'attestation : CFA-557
Fait à Rennes, le 12 mai 2031`,
    properties: ASKED,
    expected: {
      holder: 'Camille Le Goff',
      course: 'Sécurité sur les chantiers',
      issued_on: '2031-05-12',
      hours: 14,
      place: 'Rennes',
      certificate_number: 'CFA-557',
    },
  },
];
