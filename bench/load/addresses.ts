/** Places and people for letters: all of them pass the address rules of their country. */
type Place = { city: string; postalCode: string; state?: string };
export type Country = {
  country: string;
  service: string;
  places: Place[];
  /** `#` stands for the house number. */
  streets: string[];
  names: string[];
};

export const countries: Country[] = [
  {
    country: 'DE',
    service: 'de_standardbrief',
    places: [
      { city: 'Berlin', postalCode: '10557' },
      { city: 'Hamburg', postalCode: '20095' },
      { city: 'München', postalCode: '80331' },
      { city: 'Köln', postalCode: '50667' },
      { city: 'Düsseldorf', postalCode: '40213' },
    ],
    streets: ['Lindenstraße #', 'Hauptstr. #', 'Am Mühlbach #', 'Schillerstraße #', 'Heidestr. #'],
    names: ['Jürgen Groß', 'Anneliese Schröder', 'Käthe Böhm', 'Matthias Weiß', 'Sabine Vogel'],
  },
  {
    country: 'FR',
    service: 'fr_lettre_verte',
    places: [
      { city: 'Paris', postalCode: '75011' },
      { city: 'Lyon', postalCode: '69003' },
      { city: 'Marseille', postalCode: '13006' },
      { city: 'Toulouse', postalCode: '31000' },
      { city: 'Nantes', postalCode: '44000' },
    ],
    streets: ['# Rue de la Roquette', '# Avenue Thiers', '# Rue des Écoles', '# Quai de la Fosse'],
    names: ['Hélène Lefèvre', 'François Gauthier', 'Zoé Brûlé', 'André Noël', 'Chloé Marchand'],
  },
  {
    country: 'GB',
    service: 'gb_second_class',
    places: [
      { city: 'London', postalCode: 'SW1A 2AA' },
      { city: 'Manchester', postalCode: 'M1 1AE' },
      { city: 'Birmingham', postalCode: 'B33 8TH' },
      { city: 'Edinburgh', postalCode: 'EH1 1YZ' },
      { city: 'Cardiff', postalCode: 'CF10 1EP' },
    ],
    streets: ['# High Street', '# Station Road', '# Church Lane', '# Victoria Terrace'],
    names: ['Olivia Hughes', 'Harry Whitfield', 'Amelia Clarke', 'George Okafor', 'Isla Murray'],
  },
  {
    country: 'US',
    service: 'us_first_class',
    places: [
      { city: 'New York', postalCode: '10001', state: 'NY' },
      { city: 'Chicago', postalCode: '60601', state: 'IL' },
      { city: 'Los Angeles', postalCode: '90012', state: 'CA' },
      { city: 'Houston', postalCode: '77002', state: 'TX' },
      { city: 'Seattle', postalCode: '98101', state: 'WA' },
    ],
    streets: ['# Main Street', '# Oak Avenue', '# Maple Drive', '# Washington Blvd'],
    names: ['James Carter', 'Maria Gonzalez', 'Linda Nguyen', 'Robert Kim', 'Patricia Moore'],
  },
  {
    country: 'CA',
    service: 'ca_lettermail',
    places: [
      { city: 'Toronto', postalCode: 'M5H 2N2', state: 'ON' },
      { city: 'Montréal', postalCode: 'H2X 1Y4', state: 'QC' },
      { city: 'Vancouver', postalCode: 'V6B 1A1', state: 'BC' },
      { city: 'Calgary', postalCode: 'T2P 1J9', state: 'AB' },
      { city: 'Halifax', postalCode: 'B3J 1S9', state: 'NS' },
    ],
    streets: ['# Queen Street', '# Rue Sherbrooke', '# Granville Street', '# Barrington Street'],
    names: ['Émilie Tremblay', 'Liam MacDonald', 'Noah Singh', 'Sophie Gagnon', 'Grace Chen'],
  },
];

export const openings = [
  'Dear customer,',
  'Sehr geehrte Damen und Herren,',
  'Madame, Monsieur,',
  'To whom it may concern,',
];

export const sentences = [
  'Thank you for your letter of last week, which reached us on Tuesday and which we have read with care.',
  'We confirm that the premium for the coming year stays as it is and that nothing has to be done on your side.',
  'The meter at the address above will be read between eight and twelve; please make sure that it can be reached.',
  'If the amount has been paid in the meantime, please regard this reminder as settled and accept our apologies.',
  'You will find the terms that apply to your contract on the reverse of the enclosed statement.',
  'Our office is open from Monday to Friday; an appointment outside of these hours can be made by telephone.',
  'wir bestätigen den Eingang Ihrer Kündigung und beenden den Vertrag fristgerecht zum Ende des nächsten Monats.',
  'Bitte überweisen Sie den offenen Betrag innerhalb von vierzehn Tagen auf das unten genannte Konto.',
  'Für Rückfragen stehen wir Ihnen gern zur Verfügung; die Öffnungszeiten finden Sie auf unserer Internetseite.',
  'Die Abrechnung für das vergangene Jahr ist beigefügt, das Guthaben wird mit der nächsten Rate verrechnet.',
  'Nous accusons réception de votre demande et vous remercions de la confiance que vous nous témoignez.',
  'Votre dossier est complet; il sera examiné par nos services dans un délai de quinze jours ouvrés.',
  'Sauf avis contraire de votre part, le contrat sera reconduit tacitement aux mêmes conditions.',
  'Nous vous prions d’agréer, Madame, Monsieur, l’expression de nos salutations distinguées.',
  'A copy of the decision has been sent to the other party, who may object to it within one month of its receipt.',
  'The enclosed certificate is valid without a signature; keep it with your tax documents for at least six years.',
];
