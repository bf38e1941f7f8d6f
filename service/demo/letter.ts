/** The letter of the demo. */
const content = `Dear Erika,

thank you for the photographs. The one of the lighthouse at Pellworm, with the storm behind it and the last of the sun on the door, now hangs above my desk, and everybody who comes in asks where it was taken. I tell them: go and find out.

You asked how the move went. The short answer is that everything arrived, and the piano only lost a castor. The long answer needs an evening and a bottle of the Grauburgunder that you left here. The flat is bright, the neighbours are kind, and from the kitchen one can see the river. Jürgen has already found the only café in the quarter that bakes its own Franzbrötchen; François claims that they are really pains au chocolat that took a wrong turn at the border. We have agreed to disagree, and to keep on tasting.

Two things I meant to say on the telephone and forgot:

1. The keys of the boathouse are with Mrs Łukasiewicz at number 12. She is at home in the mornings.
2. Your book came back from the binder. The spine is linen now, as you wished, and the title is set in small capitals.

Would the second weekend in May suit you? The train at 10:06 needs no change, and I would be at the station with the bicycle. Bring a warm coat, the evenings on the water are still cold, and bring the camera.

With love, and greetings to your mother,

Max`;

export const demoLetter = {
  to_name: 'Erika Mustermann',
  to_line1: 'Heidestraße 17',
  to_city: 'Berlin',
  to_postal_code: '10557',
  to_country: 'DE',
  from_name: 'Max Beispiel',
  from_line1: 'Hauptstraße 1',
  from_city: 'Hamburg',
  from_postal_code: '20095',
  from_country: 'DE',
  service: 'de_einschreiben',
  reference: 'Demo',
  content,
};
