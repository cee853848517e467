// A player of which a film is made: it is moved picture by picture, and afterwards all is as it was.

export const enterFilm = (player) => {
  const { position, speed, stage } = player;
  Object.assign(player, { filmed: { position, speed, range: stage.strip.range }, speed: Infinity });
};

// The film has ended, or the page is left meanwhile. Returns whether there was one.
export const leaveFilm = (player) => {
  const { filmed, stage } = player;
  if (filmed === null) return false;
  player.stop();
  const { position, speed, range } = filmed;
  Object.assign(player, { filmed: null, position, speed });
  stage.strip.range = range;
  // An answer to what the film asked for no longer moves the run.
  if (stage.root.isConnected && !stage.leaving.soon()) stage.questions.settle();
  return true;
};
