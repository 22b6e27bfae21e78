//! End-to-end tests: the real program on temporary projects, with a home and a state folder of their
//! own. One binary, one module a feature.

#[cfg(test)]
mod asking;
#[cfg(test)]
mod care;
#[cfg(test)]
mod checks;
#[cfg(test)]
mod crashes;
#[cfg(test)]
mod desk;
#[cfg(test)]
mod detached;
#[cfg(test)]
mod full_disk;
#[cfg(test)]
mod gallery;
#[cfg(test)]
mod ground;
#[cfg(test)]
mod hooks_table;
#[cfg(test)]
mod in_background;
#[cfg(test)]
mod judges;
#[cfg(test)]
mod live;
#[cfg(test)]
mod lockout;
#[cfg(test)]
mod models;
#[cfg(test)]
mod newcomer;
#[cfg(test)]
mod notice;
#[cfg(test)]
mod orphans;
#[cfg(test)]
mod records;
#[cfg(test)]
mod resumed;
#[cfg(test)]
mod runs;
#[cfg(test)]
mod screen;
#[cfg(test)]
mod settings;
#[cfg(test)]
mod stalls;
#[cfg(test)]
mod thinking;
#[cfg(test)]
mod tiny_model;
#[cfg(test)]
mod tour;
#[cfg(test)]
mod wrong_input;
