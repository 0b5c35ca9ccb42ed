// The words of questions to the library: alike, the same, the map, clips, clean-up.

export const questions = {};
